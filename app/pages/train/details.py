"""What is seldom needed of a run: a branch, how steps are computed, log, TensorBoard, deletion."""

from pathlib import Path

import streamlit as st

from app.markdown import escape_markdown
from app.pages.shared import markup, state
from app.process import pool
from app.process.pool import PoolError
from app.services import tensorboard
from app.services.launch import branch_off
from core.common.errors import RunError
from core.prepare.branch import BranchPoint, branch_points
from core.runs import delete
from core.runs.accelerations import read_accelerations
from core.runs.files import THREADS, read_end, read_json
from core.runs.lineage import has_teacher
from core.runs.listing import ALIVE, RunView

MODES = {
    "channels_last": "Channels last",
    "compile": "Compiled",
    "compile_step": "Whole step compiled",
    "cuda_graph": "CUDA graph",
}
LOG_BYTES = 20_000


def show(run_dir: Path, view: RunView) -> None:
    """Draw a row of buttons, each of which opens one of them."""
    with st.container(horizontal=True, key="run_details"):
        _branch_form(run_dir, view)
        _accelerations(run_dir, view)
        _log(run_dir, view.state in ALIVE)
        _tensorboard(run_dir)
        st.space("stretch")
        _delete_button(run_dir, view)  # far from where Stop was


def _compiled(view: RunView) -> None:
    """Show from which step on the run is compiled: speed and last bits change there."""
    if view.compiled:
        step, times = view.compiled["from_step"], view.compiled["times"]
        st.caption(f":material/bolt: Compiled from step {step:,}, {times:g} times as fast.")


def _accelerations(run_dir: Path, view: RunView) -> None:
    """List the accelerations in use, with the reason for each choice."""
    lines = [str(read_json(run_dir / THREADS).get("why", ""))]
    lines += [
        f"{MODES[name]}: {'on' if mode.on else 'off'}. {mode.why}"
        for name, mode in read_accelerations(run_dir).items()
        if mode.on or mode.why
    ]
    if lines_shown := [escape_markdown(line.strip(), 300) for line in lines if line]:
        with st.popover("How steps are computed", icon=":material/bolt:", type="tertiary"):
            _compiled(view)
            for line in lines_shown:
                st.caption(line)


def _log(run_dir: Path, alive: bool) -> None:
    with st.popover("Log", icon=":material/notes:", type="tertiary"):
        if log := read_end(run_dir / "log.txt", LOG_BYTES).strip():
            st.html(
                '<pre class="ll-text" tabindex="0" role="region" '  # it scrolls: keys must reach it
                f'aria-label="Log of the training process">{markup.escape(log)}</pre>'
            )
        else:
            st.caption("Nothing yet." if alive else "The log is empty.")


TENSORBOARD = (
    "Curves, the graph, histograms of weights and gradients, samples with predictions, filters, "
    "feature maps and the confusion matrix. It opens on the machine that serves this page."
)


def _tensorboard(run: Path) -> None:
    """Draw TensorBoard's button, or why it is unavailable."""
    with st.popover("TensorBoard", icon=":material/monitoring:", type="tertiary"):
        if why_not := tensorboard.unavailable(run):
            st.caption(escape_markdown(why_not, 300))
            return
        st.caption(TENSORBOARD)
        address = tensorboard.address(run)
        if not address:
            if st.button("Start TensorBoard", icon=":material/monitoring:", key="tensorboard"):
                _begin_tensorboard(run)
            return
        with st.container(horizontal=True, key="tensorboard_open"):
            st.link_button("Open TensorBoard", address, icon=":material/open_in_new:")
            if st.button("Stop TensorBoard", icon=":material/stop:", key="tensorboard_end"):
                tensorboard.end(run)
                st.rerun()


def _begin_tensorboard(run: Path) -> None:
    try:
        with st.spinner("Starting TensorBoard; this takes a few seconds"):
            tensorboard.begin(run)
    except RunError as error:
        st.error(escape_markdown(error, 400), icon=":material/error:")
        return
    st.rerun()


def _delete_button(run_dir: Path, view: RunView) -> None:
    """Draw the button of an ended run; a second press deletes the run."""
    if view.state in ALIVE:
        return
    with st.popover("Delete", icon=":material/delete:", key=f"delete_{view.name}", type="tertiary"):
        size = max(delete.size_bytes(run_dir) / 1e6, 0.1)
        st.markdown(
            f"This deletes **{escape_markdown(view.name, 60)}** with its curves, "
            f"checkpoints and notes: {size:,.1f} MB. Other runs keep the weights that they started "
            "from. You cannot undo this."
        )
        if st.button("Delete this run", type="primary", key="delete_run"):
            _delete(run_dir)


def _delete(run_dir: Path) -> None:
    try:
        delete.delete_run(run_dir)
    except RunError as error:
        st.error(escape_markdown(error, 400), icon=":material/error:")
        return
    state.choose_run(None)
    st.rerun()


CHECKPOINT_TITLES = {"last": "latest", "previous": "previous"}


def _branch_form(run_dir: Path, view: RunView) -> None:
    """Draw the choice of a checkpoint and the button, if the run has checkpoints."""
    points = branch_points(run_dir)
    if not points:
        return
    with st.popover("Branch", icon=":material/call_split:", type="tertiary"):
        keeps = " It keeps the teacher." if has_teacher(run_dir) else ""
        markup.prose(
            "A new run continues from the checkpoint with its optimiser state; this run does not "
            f"change.{keeps}",
            small=True,
        )
        left, right = st.columns([3, 2])
        with left:
            chosen = st.selectbox(
                "Checkpoint", points, format_func=_checkpoint_title, key=f"from_{view.name}"
            )
        with right:
            least = chosen.epoch + 1
            usual = view.epochs if least <= view.epochs else 2 * view.epochs
            epochs = st.number_input(
                "Total epochs",
                least,
                1_000_000,
                max(usual, least),
                key=f"to_{view.name}",
                help="Last epoch of the new run; epochs before the checkpoint count, too.",
            )
        pressed = st.button("Branch a new run", icon=":material/call_split:", key="branch")
    if pressed:
        _branch(run_dir, chosen.which, int(epochs), view)


def _checkpoint_title(choice: BranchPoint) -> str:
    kind = CHECKPOINT_TITLES.get(choice.which, "one of the best")
    return f"after epoch {choice.epoch}, step {choice.step}: {kind}"


def _branch(run_dir: Path, which: str, epochs: int, view: RunView) -> None:
    changes: dict[str, object] = {"epochs": epochs} if epochs != view.epochs else {}
    try:
        with st.spinner("Copying the checkpoint and starting the training process"):
            name = pool.run(branch_off, str(run_dir), which, changes, timeout_s=120)
    except PoolError as error:
        st.error(escape_markdown(error, 400), icon=":material/error:")
        return
    state.choose_run(name)
    st.rerun()
