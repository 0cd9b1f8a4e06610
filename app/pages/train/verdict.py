"""The verdict on a run: a panel with its reason and remedies, and a word in the list of runs."""

from pathlib import Path

import streamlit as st

from app.markdown import escape_markdown
from app.pages.shared import glossary, state
from app.process.pool import PoolError
from app.services import remedies
from app.services.document import Document
from core.data import DataError
from core.errors import RunError, SweepError
from core.project import ProjectError
from core.runs.files import read_json
from core.runs.listing import RunView, view_run
from core.runs.remedies import Remedy
from core.runs.verdict import Kind, Verdict, verdict_of

EVERY_S = 2.0
TAKEN = "remedy_taken"
LOOKS: dict[Kind, tuple[str, str]] = {
    "learned": ("green", ":material/check_circle:"),
    "improving": ("blue", ":material/trending_up:"),
    "short": ("orange", ":material/hourglass_empty:"),
    "guessing": ("orange", ":material/casino:"),
    "underfits": ("orange", ":material/trending_flat:"),
    "overfits": ("orange", ":material/call_split:"),
    "unstable": ("orange", ":material/ssid_chart:"),
    "exploded": ("red", ":material/warning:"),
    "none": ("gray", ":material/help:"),
}
_KNOWN: dict[Path, tuple[tuple[int, int], Verdict]] = {}
KEPT = 200  # verdicts that are not reached again until a run changes


def show(view: RunView, alive: bool) -> None:
    """Draw the verdict; of a run that trains, follow it."""
    if view.attempt:
        st.fragment(_draw, run_every=EVERY_S if alive else None)(view.dir)


def _draw(run_dir: Path) -> None:
    view = view_run(run_dir)
    verdict = newest(view)
    if verdict.kind == "none":
        return
    colour, icon = LOOKS[verdict.kind]
    with st.container(border=True, key="verdict", gap="small"):
        st.markdown(f":{colour}[{icon}] **{escape_markdown(verdict.title, 80)}**")
        said = escape_markdown(verdict.reason, 600)
        st.markdown(said, help=glossary.explained(verdict.title, verdict.reason))
        _remedies(view, verdict)


def newest(view: RunView) -> Verdict:
    """The verdict on a run, reached again only once its files have changed."""
    try:
        size = (view.dir / "metrics.jsonl").stat().st_size
    except OSError:
        size = -1
    stamp = size, hash((view.state, view.attempt, view.step))
    known = _KNOWN.get(view.dir)
    if known is None or known[0] != stamp:
        if len(_KNOWN) >= KEPT:
            _KNOWN.clear()
        known = _KNOWN[view.dir] = stamp, verdict_of(view.dir, view)
    return known[1]


def word(view: RunView) -> str:
    """The verdict in a few words for a list, "" where there is none."""
    verdict = newest(view)
    return "" if verdict.kind == "none" else verdict.title


def _remedies(view: RunView, verdict: Verdict) -> None:
    """A button for each remedy, where the run is of the open project; else what would help."""
    document = state.document()
    taken: remedies.Taken | None = state.value(TAKEN)
    back = document is not None and taken is not None and taken.run == view.name
    if not verdict.remedies and not back:
        return
    if document is None or not document.trained(view):
        words = ", ".join(remedy.title for remedy in verdict.remedies)
        st.caption(escape_markdown(f"In its project this helps: {words}.", 300))
        return
    before = read_json(view.dir / "spec.json").get("training", {})
    with st.container(horizontal=True, gap="small"):
        for number, remedy in enumerate(verdict.remedies):
            if _button(remedy, number, view, before):
                _take(document, view, remedy)
        if back and taken and _back_button():
            remedies.take_back(document, taken)
            state.take(TAKEN)
            st.rerun()
    if verdict.remedies:
        st.caption("A button starts a new run with its change; this one stays as it is.")


def _button(remedy: Remedy, number: int, view: RunView, before: dict[str, object]) -> bool:
    change = remedies.described(remedy.changes, before)
    return st.button(
        escape_markdown(remedy.title, 80),
        key=f"remedy_{view.name}_{number}",
        type="secondary",
        icon=":material/play_arrow:",
        help=escape_markdown(f"Changes {change}, and trains.", 300),
    )


def _back_button() -> bool:
    return st.button(
        "Take the change back",
        key="remedy_back",
        type="tertiary",
        icon=":material/undo:",
        help="Gives the project the settings and blocks from before; the runs stay.",
    )


def _take(document: Document, view: RunView, remedy: Remedy) -> None:
    try:
        with st.spinner("Changing the project and starting the training process"):
            taken = remedies.take(document, view.name, remedy)
    except (SweepError, PoolError, RunError, DataError, ProjectError, OSError) as error:
        st.error(escape_markdown(error, 500), icon=":material/error:")
        return
    state.keep(TAKEN, taken)
    state.choose_run(taken.run)
    st.rerun()
