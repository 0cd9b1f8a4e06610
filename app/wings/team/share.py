"""The button "Lab report" beside what else is done with a run."""

import streamlit as st

from app.pages.shared import state
from app.services.document import Document

SHOWN_ON = "train"
TITLE = "Lab report…"
"""In the menu of Build."""


def button(document: Document, where: str) -> None:
    """Draw the link. where: the page it stands on; only beside a run there is one to report."""
    if where == SHOWN_ON:
        st.page_link(
            state.page("report"),
            label="Lab report",
            icon=":material/lab_profile:",
            query_params=state.address(),
        )


def dialog(document: Document) -> None:
    """Go to the page."""
    state.go("report")
