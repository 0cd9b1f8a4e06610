"""The way to the lessons from the start page."""

import streamlit as st

from app.pages.shared import state
from app.wings.lessons import service as lessons
from core.wings.lessons import progress

AFTER = "first"


def button() -> None:
    """Draw the button to the lessons, with the number of those done."""
    if st.button(_words(), icon=":material/school:", key="learn"):
        state.go("learn")


def _words() -> str:
    done = lessons.count_done(progress.read_progress())
    return f"Learn: {done} of {len(lessons.course())} done" if done else "Learn step by step"
