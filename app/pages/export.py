"""The page "Export"."""

import streamlit as st

from app import state


def render() -> None:
    """Draw the page."""
    document = state.require_document()
    st.header("Export")
    st.caption(document.project.name)
