"""Told on every page but Build, whose canvas tells it itself: another tab changed this project."""

import streamlit as st

from app.pages.shared import state


def show() -> None:
    """Let the student choose between the two tabs; until then neither overwrites the other."""
    document = state.document()
    if document is None or document.elsewhere() is None:
        return
    st.warning("This project was changed in another tab.", icon=":material/tab_duplicate:")
    with st.container(horizontal=True):
        for choice, words in (("theirs", "Take theirs"), ("mine", "Keep mine")):
            if st.button(words, key=f"tab_{choice}"):
                document.settle(choice)
                st.rerun()
