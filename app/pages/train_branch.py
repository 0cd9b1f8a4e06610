"""A new run from a checkpoint of the one that is shown."""

from pathlib import Path

import streamlit as st

from app import launch, pool, state
from app.pool import PoolError
from app.text import label
from core.train.branching import Kept, kept
from core.train.descent import has_teacher
from core.train.runs import RunView

NAMES = {"last": "the newest", "previous": "the one before"}


def ask(run_dir: Path, view: RunView) -> None:
    """Draw the choice of a checkpoint and the button, where the run has kept any."""
    found = kept(run_dir)
    if not found:
        return
    with st.expander("Branch off a checkpoint"):
        keeps = " It keeps the teacher." if has_teacher(run_dir) else ""
        st.caption(
            f"A new run goes on from there with optimiser and all; this one stays as it is.{keeps}"
        )
        left, right = st.columns([3, 2])
        with left:
            chosen = st.selectbox("Checkpoint", found, format_func=_said, key=f"from_{view.name}")
        with right:
            least = chosen.epoch + 1
            usual = view.epochs if least <= view.epochs else 2 * view.epochs
            epochs = st.number_input(
                "Epochs in all", least, 1_000_000, max(usual, least), key=f"to_{view.name}",
                help="Up to which epoch the new run trains, those before the checkpoint included.",
            )  # fmt: skip
        pressed = st.button("Branch a new run", icon=":material/call_split:", key="branch")
    if pressed:
        _begin(run_dir, chosen.which, int(epochs), view)


def _said(choice: Kept) -> str:
    what = NAMES.get(choice.which, "one of the best")
    return f"after epoch {choice.epoch}, step {choice.step}: {what}"


def _begin(run_dir: Path, which: str, epochs: int, view: RunView) -> None:
    changes = {"epochs": epochs} if epochs != view.epochs else {}
    try:
        with st.spinner("Copying the checkpoint and starting the training process"):
            name = pool.run(launch.branch_off, str(run_dir), which, changes, timeout_s=120)
    except PoolError as error:
        st.error(label(error, 400), icon=":material/error:")
        return
    state.choose_run(name)
    st.rerun()
