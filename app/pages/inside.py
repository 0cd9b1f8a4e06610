"""The page "Look inside"."""

import streamlit as st

from app import state


def render() -> None:
    """Draw the page."""
    document = state.require_document()
    st.header("Look inside")
    st.caption(document.project.name)
