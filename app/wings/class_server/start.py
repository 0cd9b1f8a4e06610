"""On the start page: whose workbench this is, and the way to log out."""

import os

import streamlit as st

from core.worker.job_queue import PERSON

AFTER = "empty"
WHERE = "/account"


def button() -> None:
    """Draw a link to the account, where a class is served."""
    if name := os.environ.get(PERSON):
        st.link_button(name, WHERE, icon=":material/person:", help="Change the password, log out")
