"""Files dropped onto any page, or chosen there: sent to our route, of which the page hears."""

from collections.abc import Sequence
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


Kinds = Sequence[tuple[str, str]]


def window(token: str, hint: str) -> Any:
    """Take what is dropped anywhere on the page; return what the server calls it, once, or None.

    hint: what can be dropped, as a sentence.
    """
    return _name(_mounted("drop_window", token, look="window", hint=hint))


def zone(token: str, key: str, kinds: Kinds) -> Any:
    """Draw a drop area that lists what can be dropped, with buttons; return as `window`.

    kinds: what can be dropped: a name and its files, each.
    """
    return _name(_mounted(key, token, look="zone", kinds=[list(kind) for kind in kinds]))


def _mounted(key: str, token: str, **look: Any) -> Any:
    data = {"token": token, "kinds": [], "hint": "", **look}
    return _mount(key=key, data=data, on_dropped_change=_heard)


def _heard() -> None:
    """The page is drawn again with what was sent."""


def _name(result: Any) -> Any:
    sent = result.get("dropped")
    return sent.get("drop") if sent is not None else None
