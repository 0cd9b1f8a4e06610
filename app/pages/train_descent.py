"""What the shown run has of others, with a way to each: its branch, its start, its teacher."""

from pathlib import Path

import streamlit as st

from app import places, state
from app.text import label
from core.train.descent import Descent, descent_of

ICONS = {
    "branch": ":material/call_split:",
    "start": ":material/flag:",
    "teacher": ":material/school:",
}
ARROW = ":material/arrow_forward:"
WORDS = {"branch": "Show its origin", "start": "Show its start", "teacher": "Show its teacher"}


def show(run_dir: Path) -> None:
    """Draw a line for each, with a button that shows the other run where that is still there."""
    for found in descent_of(run_dir):
        said = f"{ICONS[found.kind]} {label(found.told, 600)}"
        if found.gone or places.find_run(found.run) is None:
            st.caption(said)
            continue
        left, right = st.columns([7, 2], vertical_alignment="center")
        left.caption(said)
        with right:
            _to_run(found)


def _to_run(found: Descent) -> None:
    words, key = WORDS[found.kind], f"{found.kind}_run"
    if st.button(words, key=key, type="tertiary", icon=ARROW, help=f"Show {label(found.run, 60)}"):
        state.choose_run(found.run)
        st.rerun()
