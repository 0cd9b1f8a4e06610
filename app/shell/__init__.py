"""What stands around every page: the switch between light and dark, and the tour.

Light or dark is chosen in the browser and remembered there. Its script stands in the first page
(app/server/first_page.py), so that nothing is drawn in the other colours before.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import streamlit as st

_STATIC = Path(__file__).resolve().parents[1] / "static" / "shell"
_BUNDLE = next(_STATIC.glob("shell-*.js")).name
SCHEME = f"app/static/shell/{next(_STATIC.glob('scheme-*.js')).name}"
"""The address of the script that knows light from dark, below that of the workbench."""

_mount = st.components.v2.component(  # pyright: ignore[reportAttributeAccessIssue]
    "layerloom_shell",
    js=f"""
const url = new URL("app/static/shell/{_BUNDLE}", document.baseURI).href;
export default async (component) => (await import(url)).default(component);
""",
)


def scheme_switch() -> None:
    """Draw the switch between light, dark, and what the system says."""
    _mount(key="scheme", data={"look": "scheme"}, width="content")


def tour(steps: Sequence[dict[str, Any]], page: str, begin: str) -> Any:
    """Take the reader around, where asked; return the page that the next step is on, once, or None.

    steps: each {"name", "text", "page", "at": selectors, of which the first that is there is lit}.
    page: the one that is shown. begin: another text each time that the tour is asked for.
    """
    data = {"look": "tour", "steps": list(steps), "page": page, "begin": begin}
    return _mount(key="tour", data=data, on_lead_change=_heard).get("lead")


def _heard() -> None:
    """The page is drawn again with what was sent."""
