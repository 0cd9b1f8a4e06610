"""Bringing the top of a page into sight when it shows something else: Streamlit stays scrolled."""

import streamlit as st

_mount = st.components.v2.component(  # pyright: ignore[reportAttributeAccessIssue]
    "layerloom_reveal",
    js="""
const shown = new Map();
export default ({ key, data }) => {
  if (shown.has(key) && shown.get(key) !== data.what) {
    document.querySelector('[data-testid="stMain"]')?.scrollTo({ top: 0 });
  }
  shown.set(key, data.what);
};
""",
)


def top(what: str, key: str) -> None:
    """Scroll the page to its top when `what` is not what it was."""
    _mount(key=key, data={"what": what})
