"""The way to the Import page from the start page."""

import streamlit as st

from app.pages.shared import state

AFTER = "empty"


def button() -> None:
    """Draw the button."""
    if st.button("Import a model", icon=":material/input:", key="import"):
        state.go("import")
