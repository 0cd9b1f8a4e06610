"""On the start page: whose workbench this is, and the way to log out."""

import streamlit as st

from core.files.home import account

AFTER = "empty"
WHERE = "/account"


def button() -> None:
    """Draw a link to the account, where a class is served."""
    if name := account():
        st.link_button(name, WHERE, icon=":material/person:", help="Change the password, log out")
