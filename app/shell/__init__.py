"""What stands around every page: the menu of its bar, and the tour.

Light or dark is chosen in the browser and remembered there. Its script stands in the first page
(app/server/first_page.py), so that nothing is drawn in the other colours before; so does the shape
of the start page.
"""

import html
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import streamlit as st

_STATIC = Path(__file__).resolve().parents[1] / "static" / "shell"
_BUNDLE = next(_STATIC.glob("shell-*.js")).name
SCHEME = f"app/static/shell/{next(_STATIC.glob('scheme-*.js')).name}"
"""The address of the script that sets light or dark, below that of the workbench."""
_FIRST = Path(__file__).parents[1] / "theme" / "first_paint.css"
TITLE = "Draw a neural network. Train it. Look inside."
LEAD = (
    "Layerloom is a workbench for learning how neural networks are built: drag blocks, watch the "
    "shapes flow along the wires, train on real data, look inside every block, and export the "
    "PyTorch source."
)
_PARTS = {"ways": 5, "drop": 1, "search": 1, "cards": 6}
"""What stands on the page below its first words, and of how many pieces it is."""
_LINKS = 5

HELP = "help"
"""What the menu sends where the help is chosen in it."""

_mount = st.components.v2.component(  # pyright: ignore[reportAttributeAccessIssue]
    "layerloom_shell",
    js=f"""
const url = new URL("app/static/shell/{_BUNDLE}", document.baseURI).href;
export default async (component) => (await import(url)).default(component);
""",
)


def more(pages: Sequence[dict[str, str]], page: str) -> str:
    """Draw the menu of the bar; return what was chosen in it just now: a page's name, HELP, or "".

    pages: each {"name", "title", "icon", "address": below that of the workbench}. page: the one
    that is shown. Light or dark is in it, too, which the browser alone knows.
    """
    data = {"look": "more", "pages": list(pages), "page": page}
    sent = _mount(key="more", data=data, width="content", on_chosen_change=_heard)
    return str(sent.get("chosen") or "")


def tour(steps: Sequence[dict[str, Any]], page: str, begin: str) -> Any:
    """Show the tour, where requested; return the page of its next step, once, or None.

    steps: each {"name", "text", "page", "at": selectors, of which the first that is there is lit}.
    page: the one that is shown. begin: another text each time that the tour is asked for.
    """
    data = {"look": "tour", "steps": list(steps), "page": page, "begin": begin}
    return _mount(key="tour", data=data, on_lead_change=_heard).get("lead")


def spiral() -> None:
    """Play how a small network learns to tell two spirals apart; see `app.shell.recording`."""
    data = {"look": "spiral", "recording": "app/static/start/spiral.json"}
    _mount(key="spiral", data=data)


def _heard() -> None:
    """The page is drawn again with what was sent."""


@cache
def first_shape() -> str:
    """The shape of the start page, in the HTML that a browser gets before any script has run.

    It is for eyes only; the script of the first page takes it away when the page has come.
    """
    words = f"<b>{html.escape(TITLE)}</b><p><span>{html.escape(LEAD)}</span></p>"
    rows = "".join(_row(part, count) for part, count in _PARTS.items())
    return (
        f'<div id="ll-first" aria-hidden="true"><style>{_FIRST.read_text("utf-8")}</style>'
        f'{_row("bar", _LINKS)}<div class="page">{words}{rows}</div></div>'
    )


def _row(part: str, count: int) -> str:
    return f'<div class="{part}">{"<i></i>" * count}</div>'
