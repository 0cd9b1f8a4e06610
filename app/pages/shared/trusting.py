"""Trust in Python on a page: what it means, the text, and the button that trusts exactly it.

Code becomes trusted only where its own button was pressed, and then exactly the text that stood
above that button: it is bound to the button on this side, and the browser sends but the press.
"""

import streamlit as st

from app.markdown import escape_markdown
from app.pages.shared import state
from core.project import ProjectError
from core.project.trust import digest, problem, trust

MEANS = (
    "**What trusting means:** it runs as you, on this computer, with everything you may do: it "
    "can read, change, delete and send your files. Layerloom looks at its form only, never at "
    "what it does. Trust it if you have read and understood all of it. If one character of it "
    "changes, you are asked again."
)
_FAILED = "trust:failed"


def meaning() -> None:
    """Say what trusting means, and what went wrong with it last."""
    if message := state.take(_FAILED) or problem():
        st.error(escape_markdown(message, 400), icon=":material/error:")
    st.markdown(MEANS)


def code(text: str) -> None:
    """Show a text as it would run."""
    st.code(text, language="python", line_numbers=True, wrap_lines=True)


def button(name: str, text: str) -> None:
    """The button that trusts a text."""
    words = f"I have read {escape_markdown(name, 40)}: trust this code"
    key = f"trust_{name}_{digest(text)}"
    st.button(words, key=key, type="primary", on_click=_trust, args=(name, text))


def _trust(name: str, text: str) -> None:
    try:
        trust(text, name)
    except ProjectError as error:
        state.keep(_FAILED, str(error))
