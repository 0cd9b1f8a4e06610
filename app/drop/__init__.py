"""Files dropped onto any page, or chosen there: sent to our route, of which the page hears."""

from pathlib import Path
from typing import Any

import streamlit as st

_STATIC = Path(__file__).resolve().parents[1] / "static" / "drop"
_BUNDLE = next(_STATIC.glob("drop-*.js")).name

_mount = st.components.v2.component(  # pyright: ignore[reportAttributeAccessIssue]
    "layerloom_drop",
    js=f"""
const url = new URL("app/static/drop/{_BUNDLE}", document.baseURI).href;
export default async (component) => (await import(url)).default(component);
""",
)


def window(token: str) -> Any:
    """Take what is dropped anywhere on the page; return what the server calls it, once, or None."""
    return _name(
        _mount(key="drop_window", data={"token": token, "look": "window"}, on_dropped_change=_heard)
    )


def zone(token: str, key: str) -> Any:
    """Draw a drop area that lists what can be dropped, with buttons; return as `window`."""
    return _name(_mount(key=key, data={"token": token, "look": "zone"}, on_dropped_change=_heard))


def _heard() -> None:
    """The page is drawn again with what was sent."""


def _name(result: Any) -> Any:
    sent = result.get("dropped")
    return sent.get("drop") if sent is not None else None
