"""Deleting the run that is shown, after a question, on the Train page."""

from pathlib import Path

import streamlit as st

from app import state
from app.text import label
from core.train import removal
from core.train.errors import RunError
from core.train.runs import ALIVE, RunView


def ask(run_dir: Path, view: RunView) -> None:
    """Draw the button of a run that has ended; the run goes only after a second press."""
    if view.state in ALIVE:
        return
    with st.popover("Delete", icon=":material/delete:", key=f"delete_{view.name}"):
        size = max(removal.size_bytes(run_dir) / 1e6, 0.1)
        st.markdown(
            f"This deletes **{label(view.name, 60)}** with its curves, checkpoints and notes: "
            f"{size:,.1f} MB. What other runs took from it, they keep. It cannot be taken back."
        )
        if st.button("Delete this run", type="primary", key="delete_run"):
            _delete(run_dir)


def _delete(run_dir: Path) -> None:
    try:
        removal.remove(run_dir)
    except RunError as error:
        st.error(label(error, 400), icon=":material/error:")
        return
    state.choose_run(None)
    st.rerun()
