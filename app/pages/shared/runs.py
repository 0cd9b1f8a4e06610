"""Runs on all pages: starting one, badges of states, best result, search."""

from typing import Literal

import streamlit as st

from app.markdown import escape_markdown
from app.pages.shared import state, verdicts
from app.services import remedies, run_start
from app.services.document import Document
from core.common.errors import LayerloomError, RunError
from core.runs.files import BASELINE, read_json
from core.runs.listing import RunView
from core.runs.remedies import Remedy
from core.runs.remote_job import job_number
from core.runs.run_notes import RunNotes
from core.runs.verdict_words import half_width
from core.settings.launcher import KEY, Launcher
from core.tasks.metric_labels import phrase, quantity, shown
from core.worker.launchers import where

Colour = Literal["red", "orange", "blue", "green", "gray"]


BADGES: dict[str, tuple[str, Colour, str]] = {
    "queued": ("Starting", "gray", ":material/schedule:"),
    "running": ("Training", "blue", ":material/play_circle:"),
    "paused": ("Paused", "orange", ":material/pause_circle:"),
    "finished": ("Finished", "green", ":material/check_circle:"),
    "stopped": ("Stopped", "gray", ":material/stop_circle:"),
    "failed": ("Failed", "red", ":material/error:"),
    "crashed": ("Crashed", "red", ":material/error:"),
    "hung": ("Not responding", "orange", ":material/warning:"),
    "lost": ("Lost", "red", ":material/help:"),
}


ROUGH = 0.02
"""Half the 95 % interval of an accuracy from which a list shows it: few validation samples."""


def best_result(view: RunView) -> str:
    """The metric of the verdict at the best checkpoint of a run; of few samples its uncertainty.

    Without a verdict its accuracy or its loss; "" where nothing is known, or where the run
    exploded: what such a network scores is no result.
    """
    if verdicts.latest(view).kind == "exploded":
        return ""
    metrics = (view.best or {}).get("metrics") or view.metrics or {}
    rule = read_json(view.dir / BASELINE)
    for metric in (str(rule.get("metric", "")), "val_accuracy", "val_loss"):
        value = metrics.get(metric)
        if isinstance(value, int | float):
            return _result(metric, value, rule.get("samples"))
    return ""


def _result(metric: str, value: float, samples: object) -> str:
    """A value with the name of its metric, which an accuracy needs none of."""
    if metric == "val_accuracy":
        return shown(metric, value) + _uncertainty(value, samples)
    words = quantity(metric.partition("_")[2])
    return phrase(metric, shown(metric, value, 3 if metric != "val_loss" else 4), words)


def _uncertainty(accuracy: float, samples: object) -> str:
    """ " ± 9" in points, "" where that is little or the number of samples is not known."""
    if not isinstance(samples, int) or samples < 1 or not 0 <= accuracy <= 1:
        return ""
    half = half_width(accuracy, samples)
    return f" ± {100 * half:.2g}" if half >= ROUGH else ""


PAGE_SIZE = 12


def search_field(count: int, key: str) -> str:
    """Draw the search field for runs; return its text."""
    return st.text_input(
        "Search runs",
        key=key,
        placeholder=f"Search {count} runs: name, tag, note or state",
        icon=":material/search:",
        label_visibility="collapsed",
    )


def matches(words: str, view: RunView, marks: RunNotes) -> bool:
    """Whether every word of a search occurs in the name, state, tags or note of a run."""
    parts = [view.name, view.project_name, BADGES[view.state][0], *marks.tags, marks.note]
    text = " ".join(parts).lower()
    return all(word in text for word in words.lower().split())


LAUNCHER = "launcher"
"""Session key of where the runs that this tab starts train, as in spec.json."""


def chosen_launcher() -> Launcher:
    """Where the next run is to train; this machine where nothing was chosen."""
    try:
        return Launcher.read({KEY: state.value(LAUNCHER)})
    except RunError:
        return Launcher()


def place_badge(view: RunView) -> None:
    """Draw where a run trains, where that is not one process of this machine."""
    if place := where(view.launcher):
        job = job_number(view.dir)
        words = f"{place}, job {job}" if job else place
        st.badge(escape_markdown(words, 60), color="gray", icon=":material/dns:")


TAKEN = "remedy_taken"
"""Session key of the last applied remedy, for undo on the Train page."""


def take_remedy(document: Document, run: str, remedy: Remedy) -> bool:
    """Apply a remedy to the project, train it and choose the new run; show an error if it fails."""
    try:
        with st.spinner("Changing the project and starting the training process"):
            taken = remedies.apply(document, run, remedy, chosen_launcher())
    except (LayerloomError, OSError) as error:
        st.error(escape_markdown(error, 500), icon=":material/error:")
        return False
    state.keep(TAKEN, taken)
    state.choose_run(taken.run)
    return True


def start_run(document: Document) -> bool:
    """Start a run of the present drawing and choose it; show an error if it fails."""
    try:
        with st.spinner("Checking the network and starting the training process"):
            state.choose_run(run_start.start(document, launcher=chosen_launcher()))
    except (LayerloomError, OSError) as error:
        st.error(escape_markdown(error, 500), icon=":material/error:")
        return False
    return True


def start_and_show(document: Document) -> None:
    """Start a run of the present drawing, unless it has a problem, and open the Train page."""
    if not run_start.problem(document):
        start_run(document)
    state.go("train")
