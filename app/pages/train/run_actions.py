"""What can be done with the run that is shown: delete it, branch it, go to what it came from."""

from pathlib import Path

import streamlit as st

from app.markdown import label
from app.pages.shared import state
from app.process import pool
from app.process.pool import PoolError
from app.services import launch, paths
from core.errors import RunError
from core.prepare.branch import BranchPoint, branch_points
from core.runs import delete
from core.runs.lineage import Lineage, has_teacher, lineage_of
from core.runs.listing import ALIVE, RunView


def ask_to_delete(run_dir: Path, view: RunView) -> None:
    """Draw the button of a run that has ended; the run goes only after a second press."""
    if view.state in ALIVE:
        return
    with st.popover("Delete", icon=":material/delete:", key=f"delete_{view.name}"):
        size = max(delete.size_bytes(run_dir) / 1e6, 0.1)
        st.markdown(
            f"This deletes **{label(view.name, 60)}** with its curves, checkpoints and notes: "
            f"{size:,.1f} MB. What other runs took from it, they keep. It cannot be taken back."
        )
        if st.button("Delete this run", type="primary", key="delete_run"):
            _delete(run_dir)


def _delete(run_dir: Path) -> None:
    try:
        delete.delete_run(run_dir)
    except RunError as error:
        st.error(label(error, 400), icon=":material/error:")
        return
    state.choose_run(None)
    st.rerun()


NAMES = {"last": "the newest", "previous": "the one before"}


def ask_to_branch(run_dir: Path, view: RunView) -> None:
    """Draw the choice of a checkpoint and the button, where the run has kept any."""
    found = branch_points(run_dir)
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


def _said(choice: BranchPoint) -> str:
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


ICONS = {
    "branch": ":material/call_split:",
    "start": ":material/flag:",
    "teacher": ":material/school:",
}
ARROW = ":material/arrow_forward:"
WORDS = {"branch": "Show its origin", "start": "Show its start", "teacher": "Show its teacher"}


def show(run_dir: Path) -> None:
    """Draw a line for each, with a button that shows the other run where that is still there."""
    for found in lineage_of(run_dir):
        said = f"{ICONS[found.kind]} {label(found.sentence, 600)}"
        if found.gone or paths.find_run(found.run) is None:
            st.caption(said)
            continue
        left, right = st.columns([7, 2], vertical_alignment="center")
        left.caption(said)
        with right:
            _to_run(found)


def _to_run(found: Lineage) -> None:
    words, key = WORDS[found.kind], f"{found.kind}_run"
    if st.button(words, key=key, type="tertiary", icon=ARROW, help=f"Show {label(found.run, 60)}"):
        state.choose_run(found.run)
        st.rerun()
