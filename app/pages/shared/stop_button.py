"""The button of the two steps of every stop: "Stop" requests it, "Stop now" ends the process."""

import time
from collections.abc import Callable

import streamlit as st

from app.pages.shared import state

DOUBLE_CLICK_S = 1.0
"""Seconds in which a second click is part of the first one."""


def draw(key: str, asked: bool, act: Callable[[], object], after: str) -> None:
    """Draw the button. after: what is left once it was ended, a sentence.

    A double click is one request: its second half finds a button of another key, or comes too soon.
    """
    label, words = ("Stop now", f"Ends the process now. {after}") if asked else ("Stop", None)
    name, clicked = (f"{key}_now" if asked else key), f"{key}_clicked"
    pressed = st.button(label, icon=":material/stop:", key=name, help=words)
    if not pressed or (asked and time.monotonic() < (state.value(clicked) or 0)):
        return
    try:
        act()
    finally:  # it may have waited for the process, or draw the page anew
        state.keep(clicked, time.monotonic() + DOUBLE_CLICK_S)
