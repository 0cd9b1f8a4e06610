"""Trust in Python code on a page: its meaning, the code, and the button that trusts it.

A button trusts exactly the text shown above it: the text is bound to the button on the server, and
the browser sends only the press.
"""

import streamlit as st

from app.markdown import escape_markdown
from app.pages.shared import state
from core.files.trust import digest, problem, trust
from core.project import ProjectError

MEANS = (
    "**What trusting means:** the code runs as you, on this computer, with all your permissions: "
    "it can read, change, delete and send your files. Layerloom checks only its form, never what "
    "it does. Trust it only if you have read and understood all of it. If one character of it "
    "changes, Layerloom asks you again."
)
_FAILED = "trust:failed"


def meaning() -> None:
    """Show what trusting means, and the last error with it."""
    if message := state.take(_FAILED) or problem():
        st.error(escape_markdown(message, 400), icon=":material/error:")
    st.markdown(MEANS)


def code(text: str) -> None:
    """Show the code with line numbers."""
    st.code(text, language="python", line_numbers=True, wrap_lines=True)


def button(name: str, text: str) -> None:
    """The button that trusts a text."""
    words = f"I have read {escape_markdown(name, 40)}: trust this code"
    key = f"trust_{name}_{digest(text)}"
    st.button(words, key=key, type="primary", on_click=_trust, args=(name, text))


def _trust(name: str, text: str) -> None:
    try:
        trust(text, name)
    except ProjectError as error:
        state.keep(_FAILED, str(error))
