"""A browser tab, as far as Streamlit's AppTest can be one."""

from itertools import count
from pathlib import Path

from streamlit.testing.v1 import AppTest

from app import shell
from app.canvas.protocol import Action

ACTIONS = count(1)
SCRIPT = Path(__file__).parent / "script.py"


class Tab:
    """A browser tab, as far as AppTest can be one."""

    def __init__(self, page="", **address):
        self.at = AppTest.from_file(str(SCRIPT), default_timeout=600)
        for name, value in address.items():
            self.at.query_params[name] = value
        self.at.run()
        if page:
            self.go(page)

    def go(self, page):
        """Follow the navigation to a page."""
        found = self.at._registered_pages.items()
        self.at._page_hash = next(key for key, p in found if p.get("url_pathname") == page)
        self.at.run()
        self.at._page_hash = ""  # else every later run would go there again
        return self

    def press(self, key):
        """Press a button."""
        self.at.button(key=key).click().run()
        return self

    def choose(self, what, monkeypatch):
        """Choose in the menu of the bar, which draws itself in the browser."""
        sent = iter([what])
        with monkeypatch.context() as patched:
            patched.setattr(shell, "more", lambda pages, page: next(sent, ""))
            self.at.run()
        return self

    def carry_out(self, verb, **args):
        """Carry out a verb of the canvas's bar, such as save."""
        self.document.session._browser.action = Action(f"{verb}-{next(ACTIONS)}", verb, args)
        self.at.run()
        return self

    @property
    def document(self):
        return self.at.session_state["document"]

    @property
    def texts(self):
        """Everything the page says in boxes: errors, warnings and notes."""
        boxes = [*self.at.error, *self.at.warning, *self.at.info]
        return [box.value.replace("\\", "") for box in boxes]

    def assert_calm(self):
        """No exception, no error box."""
        assert not self.at.exception
        errors = [box.value for box in self.at.error]
        assert errors == [], errors
