"""The run that the Train page shows: result, curves, predictions, and what can be done with it."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import streamlit as st

from app import charts
from app.markdown import escape_markdown
from app.pages.shared import networks, runs, state, stop_button, verdicts
from app.pages.train import details, init, results, resume, try_sound, verdict
from app.services import divergence, paths
from app.services.project_runs import is_run_of
from app.wing import parts
from core.common.errors import LayerloomError
from core.runs.files import BASELINE, read_json
from core.runs.lineage import Lineage, lineage_of
from core.runs.listing import ALIVE, RunView
from core.tasks.metric_labels import metric_words, shown
from core.worker import force, launch
from core.worker.supervisor import unwanted


def show(run_dir: Path, view: RunView) -> None:
    """Draw the chosen run: its result beside its curves, what it predicts, its details."""
    with st.container(horizontal=True, vertical_alignment="center", key="run_head"):
        st.subheader(escape_markdown(view.name, 60), width="content")
        runs.place_badge(view)
        st.space("stretch")
        _buttons(run_dir, view)
    _project_name(view)
    _brought(view)
    _message(view)
    _where_it_failed(view)
    st.fragment(_hero)(view)
    if view.state in ENDED and networks.weights_version(view.dir) != "none":
        st.fragment(try_sound.show)(view)
    _lineage(run_dir)
    details.show(run_dir, view)


ENDED = ("finished", "stopped")
NEXT = (("inside", "Look inside", "visibility"), ("export", "Export", "ios_share"))
MOVED = "run_moved"
"""Session key of whether the curves have seen the run in another state than the page shows."""


def _hero(view: RunView) -> None:
    """The result beside the curves, and below what is learned, at the epoch that is pointed at."""
    if state.take(MOVED):
        st.rerun()
    alive = view.state in ALIVE
    with st.container(key="run_hero"):
        with st.container(key="run_result"):
            verdict.show(view, alive)
            _kept(view)
        with st.container(key="run_curves"):
            if view.attempt or alive:  # else it never began: there is nothing to draw
                charts.live_run(
                    view.name,
                    view.state,
                    state.token(),
                    str(read_json(view.dir / BASELINE).get("metric", "")),
                    on_state=lambda: state.keep(MOVED, True),
                    on_epoch=lambda: results.point_at(view),
                )
    results.show(view, alive)


def _project_name(view: RunView) -> None:
    """Name the project of the run if another project is open."""
    document = state.document()
    if document is not None and view.project_name and not is_run_of(document, view):
        st.caption(f"Project: {escape_markdown(view.project_name, 80)}")


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
    if view.state in ENDED and networks.weights_version(view.dir) != "none":
        _next_pages(view)


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


def _kept(view: RunView) -> None:
    """Show the result on test samples, and which weights the other pages use."""
    if view.state not in ENDED:
        return
    if view.test:
        st.markdown(words_of_test(view.test, view.aims), help=TESTED)
    if networks.weights_version(view.dir) == "none" or verdicts.latest(view).value:
        return
    if words := best_checkpoint(view.best or {}, view.aims):
        st.markdown(words)


def _next_pages(view: RunView) -> None:
    """Lead to what is done with trained weights."""
    for page, label, icon in NEXT:
        st.page_link(
            state.page(page),
            label=label,
            icon=f":material/{icon}:",
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
