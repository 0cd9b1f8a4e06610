"""The button of the two steps of every stop: "Stop" requests it, "Stop now" ends the process."""

from collections.abc import Callable

import streamlit as st


def draw(key: str, asked: bool, act: Callable[[], object], after: str) -> None:
    """Draw the button. after: what is left once it was ended, a sentence."""
    label, words = ("Stop now", f"Ends the process now. {after}") if asked else ("Stop", None)
    if st.button(label, icon=":material/stop:", key=key, help=words):
        act()
