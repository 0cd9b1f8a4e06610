"""The run half of the Train page: curves, buttons, log, lineage, branches and deletion."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import streamlit as st

from app import charts
from app.markdown import escape_markdown
from app.pages.shared import markup, networks, runs, state, stop_button, verdicts
from app.pages.train import init, results, resume, verdict
from app.process import pool
from app.process.pool import PoolError
from app.services import divergence, paths, tensorboard
from app.services.launch import branch_off
from app.services.project_runs import is_run_of
from app.wing import parts
from core.engine import accelerations
from core.errors import LayerloomError, RunError
from core.prepare.branch import BranchPoint, branch_points
from core.runs import delete, listing
from core.runs.files import THREADS, read_end, read_json
from core.runs.lineage import Lineage, has_teacher, lineage_of
from core.runs.listing import ALIVE, RunView
from core.tasks.metric_labels import metric_words, shown
from core.worker import force, launch
from core.worker.supervisor import unwanted

MODES = {
    "channels_last": "Channels last",
    "compile": "Compiled",
    "compile_step": "Whole step compiled",
    "cuda_graph": "CUDA graph",
}
LOG_BYTES = 20_000


def show(run_dir: Path) -> None:
    """Draw the chosen run: its curves, its buttons, how it ended, its log."""
    view = listing.view_run(run_dir)
    with st.container(horizontal=True, vertical_alignment="center", key="run_head"):
        st.subheader(escape_markdown(view.name, 60), width="content")
        runs.place_badge(view)
        st.space("stretch")
        _buttons(run_dir, view)
    _project_name(view)
    _brought(view)
    _lineage(run_dir)
    _compiled(view)
    _message(view)
    verdict.show(view, view.state in ALIVE)
    _where_it_failed(view)
    if view.attempt or view.state in ALIVE:  # else it never began: there is nothing to draw
        charts.live_run(view.name, view.state, state.token(), on_state=lambda: None)
    if view.state in ("finished", "stopped") and networks.weights_version(run_dir) != "none":
        _what_next(view)  # in sight at the end of a run, so above what it makes
    results.show(view, view.state in ALIVE)
    _branch_form(run_dir, view)
    _accelerations(run_dir)
    _log(run_dir, view.state in ALIVE)
    _tensorboard(run_dir)
    _delete_button(run_dir, view)  # far from where Stop was


def _project_name(view: RunView) -> None:
    """Name the project of the run if another project is open."""
    document = state.document()
    if document is not None and view.project_name and not is_run_of(document, view):
        st.caption(f"Project: {escape_markdown(view.project_name, 80)}")


def _compiled(view: RunView) -> None:
    """Show from which step on the run is compiled: speed and last bits change there."""
    if view.compiled:
        step, times = view.compiled["from_step"], view.compiled["times"]
        st.caption(f":material/bolt: Compiled from step {step:,}, {times:g} times as fast.")


def _brought(view: RunView) -> None:
    """Show from which bundle a run was imported, and how to train from it."""
    if not view.brought:
        return
    with st.container(horizontal=True, vertical_alignment="center", key="brought"):
        st.caption(
            f":material/inbox: Imported from {escape_markdown(view.brought, 80)} with its curves "
            "and best weights. It cannot be resumed because the optimiser state is not included; "
            "a new run can start from its weights.",
            width="stretch",
        )
        document = state.document()
        if document is not None and networks.weights_version(view.dir) != "none":
            st.button(
                "Start from its weights",
                icon=":material/flag:",
                key="begin_with_it",
                on_click=init.begin_with_run,
                args=(document, view.name),
            )


def _buttons(run_dir: Path, view: RunView) -> None:
    if view.state == "running" and st.button("Pause", icon=":material/pause:", key="pause"):
        _control(launch.pause, run_dir)
    if view.state == "running" and st.button(
        "Checkpoint",
        icon=":material/bookmark_add:",
        key="checkpoint",
        help="Saves the state of the run now; it continues. A new run can branch off there.",
    ):
        _control(launch.request_checkpoint, run_dir)
    if view.resumable:
        resume.draw(run_dir, view, _control)
    if view.state in ALIVE:
        _stop_button(run_dir)


def _stop_button(run_dir: Path) -> None:
    """Stop with a checkpoint; once that was asked for, end the process."""
    asked = unwanted(run_dir)
    after = "It resumes from its last checkpoint."
    stop_button.draw("stop", asked, lambda: _control(launch.stop, run_dir), after)
    if asked:
        st.caption(f"The run {force.ASKED}")


def _control(action: Callable[[Path], object], run_dir: Path) -> None:
    try:
        action(run_dir)
    except (LayerloomError, OSError) as error:
        st.error(escape_markdown(error, 400), icon=":material/error:")
        return
    st.rerun()


def _message(view: RunView) -> None:
    """Show why a run failed, and what to do, but for what its verdict says below."""
    reason = verdicts.latest(view).reason
    waits = view.state == "queued"  # it shows that where its curves will be
    if view.message and view.message not in reason and not waits:
        message = escape_markdown(f"{view.message} {view.hint}".strip(), 600)
        bad = view.state in ("failed", "crashed", "hung", "lost")
        (st.error if bad else st.info)(message, icon=runs.BADGES[view.state][2])
    if view.skipped:
        many = "1 step was" if view.skipped == 1 else f"{view.skipped} steps were"
        st.warning(f"{many} skipped: the gradient was not finite.", icon=":material/warning:")


def _where_it_failed(view: RunView) -> None:
    """Show the block in which numbers ceased to be finite, unless the verdict names it."""
    if view.origin and view.state == "failed":
        where = str(view.origin.get("message", ""))
        if where not in verdicts.latest(view).reason:
            st.warning(escape_markdown(where, 400), icon=":material/my_location:")
        _link_to_block(view)


def _link_to_block(view: RunView) -> None:
    """Link to the block in which a run of the open project diverged."""
    fault, document = divergence.fault_of(view), state.document()
    if fault is None or document is None or not is_run_of(document, view):
        return
    words = f"Show {escape_markdown(fault['node'], 60)} on the canvas"
    if st.button(words, icon=":material/account_tree:", key="show_fault"):
        document.session.show(fault["node"])
        state.go("build")


def _accelerations(run_dir: Path) -> None:
    """List the accelerations in use, with the reason for each choice."""
    lines = [str(read_json(run_dir / THREADS).get("why", ""))]
    lines += [
        f"{MODES[name]}: {'on' if mode.on else 'off'}. {mode.why}"
        for name, mode in accelerations.read_accelerations(run_dir).items()
        if mode.on or mode.why
    ]
    if lines_shown := [escape_markdown(line.strip(), 300) for line in lines if line]:
        with st.expander("How steps are computed"):
            for line in lines_shown:
                st.caption(line)


def _what_next(view: RunView) -> None:
    """Show the best result and links to the next pages."""
    if words := best_checkpoint(view.best or {}, view.aims):
        st.markdown(words)
    if view.test:
        st.markdown(words_of_test(view.test, view.aims), help=TESTED)
    with st.container(horizontal=True, vertical_alignment="center"):
        st.page_link(
            state.page("inside"),
            label="Look inside the trained network",
            icon=":material/visibility:",
            query_params=state.address(),
        )
        st.page_link(
            state.page("export"),
            label="Export",
            icon=":material/ios_share:",
            query_params=state.address(),
        )
        document = state.document()
        if document is not None and is_run_of(document, view):
            for _, part in parts("share"):
                part.button(document, "train")


TESTED = (
    "These samples were kept apart: neither weights, epoch nor settings were chosen with "
    "them. So this shows how well the network does on new samples. If you choose settings by "
    "this result, that is no longer true."
)


def words_of_test(tested: Mapping[str, Any], aims: Mapping[str, str]) -> str:
    """Results on the test samples, in Markdown."""
    metric_texts = []
    for name, value in tested.get("metrics", {}).items():
        words = escape_markdown(metric_words(name, aims), 60)
        metric_texts.append(f"{words} **{shown(name, value)}**")
    often = f", {tested['times']} times" if tested.get("times", 1) > 1 else ", once"
    return (
        f"Tested on {tested.get('samples', 0):,} samples kept apart{often}: "
        f"{', '.join(metric_texts)} (weights of epoch {tested.get('epoch', 0)})."
    )


def best_checkpoint(best: Mapping[str, Any], aims: Mapping[str, str] | None = None) -> str:
    """Which checkpoint the other pages use, in Markdown; "" if none is known.

    aims: names of the losses that metrics belong to.
    """
    value, metric = best.get("value"), str(best.get("metric", ""))
    epoch = escape_markdown(best.get("epoch", ""), 10)
    if metric == "last":
        return f"The other pages use the last checkpoint, after epoch {epoch}."
    if not isinstance(value, int | float):
        return ""
    words = escape_markdown(metric_words(metric, aims), 60)
    return (
        f"Best {words}: **{shown(metric, value)}** after epoch {epoch}. "
        "The other pages use this checkpoint."
    )


def _log(run_dir: Path, alive: bool) -> None:
    with st.expander("Log of the training process"):
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
    with st.expander("TensorBoard"):
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
    with st.popover("Delete", icon=":material/delete:", key=f"delete_{view.name}", width=130):
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
    with st.expander("Branch off a checkpoint"):
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


LINEAGE_ICONS = {
    "remedy": ":material/healing:",
    "branch": ":material/call_split:",
    "start": ":material/flag:",
    "teacher": ":material/school:",
}


ARROW = ":material/arrow_forward:"


LINEAGE_BUTTONS = {
    "remedy": "Show that run",
    "branch": "Show its origin",
    "start": "Show its start",
    "teacher": "Show its teacher",
}


def _lineage(run_dir: Path) -> None:
    """Draw a line for each related run, with a button if that run still exists."""
    for origin in lineage_of(run_dir):
        sentence = f"{LINEAGE_ICONS[origin.kind]} {escape_markdown(origin.sentence, 600)}"
        if origin.gone or paths.find_run(origin.run) is None:
            st.caption(sentence)
            continue
        left, right = st.columns([7, 2], vertical_alignment="center")
        left.caption(sentence)
        with right:
            _link_to_run(origin)


def _link_to_run(origin: Lineage) -> None:
    words, key = LINEAGE_BUTTONS[origin.kind], f"{origin.kind}_run"
    if st.button(
        words, key=key, type="tertiary", icon=ARROW, help=f"Show {escape_markdown(origin.run, 60)}"
    ):
        state.choose_run(origin.run)
        st.rerun()
