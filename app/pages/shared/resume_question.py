"""The question before a run or a sweep trains where this user never did."""

from collections.abc import Callable

import streamlit as st

from app.markdown import escape_markdown
from core.settings.launcher import Launcher
from core.worker import launcher_trust


def draw(
    key: str, sentence: str, launcher: Launcher, here: Callable[[], None], there: Callable[[], None]
) -> None:
    """Draw a Resume button that opens the question, with a button for each answer.

    sentence: Markdown that ends before what resuming does. there: notes the trust, then resumes.
    """
    with st.popover("Resume", icon=":material/resume:", key=f"{key}_elsewhere"):
        asked = launcher_trust.destination(launcher)
        destination = escape_markdown(asked, len(asked))  # whole: it is what is trusted
        st.markdown(
            f"{sentence} {destination}. You have not trained there yet. Continue there only if you "
            "know where this comes from and trust that address."
        )
        if st.button("Resume on this machine", icon=":material/computer:", key=f"{key}_here"):
            here()
        if st.button("Resume there", icon=":material/cloud_upload:", key=f"{key}_there"):
            there()
