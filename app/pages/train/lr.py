"""The learning rate on the Train form: its curve over the coming run, and the finder."""

import json
import math
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import streamlit as st

from app.markdown import escape_markdown
from app.pages.shared import state, svg_plots
from app.process import pool
from app.process.pool import PoolError
from app.services import paths
from app.services.calls import training as training_calls
from app.services.document import Document
from core.data import DataInfo
from core.settings.optimizers import OPTIMIZERS
from core.settings.schema import TRAINING
from core.source import rates

CACHED = 64
_DEFAULTS = {setting.name: setting.default for setting in TRAINING}
DECLARED_EPOCHS, DECLARED_OPTIMIZER = _DEFAULTS["epochs"], _DEFAULTS["optimizer"]


def show_preview(document: Document, info: DataInfo | None) -> None:
    """Draw the learning rate of the chosen schedule, as soon as the settings are right."""
    training = document.project.training
    factors = rates.factors(document.project.graph)
    if info is None:
        return
    if not (training.get("scheduler") or training.get("warmup") or factors):
        _plot_constant(training)
        return
    try:
        preview = _preview(
            json.dumps(training, default=dict), info.task, info.losses, info.train_size, factors
        )
    except PoolError as error:
        st.caption(escape_markdown(error, 300))
        return
    if preview["why"]:
        st.caption(escape_markdown(preview["why"], 200))
    else:
        _plot_preview(preview, factors, float(training.get("epochs", 10)))


def _plot_constant(training: Mapping[str, Any]) -> None:
    """Plot a constant rate; an invalid one is left to the check of the settings."""
    rate, epochs = rate_of(training), training.get("epochs", DECLARED_EPOCHS)
    numbers = [each for each in (rate, epochs) if type(each) in (int, float)]
    if len(numbers) < 2 or not all(map(math.isfinite, numbers)) or numbers[1] < 1:
        return
    rate, last = map(float, numbers)
    words = f"Stays at {rate:.3g} in every epoch: there is no schedule."
    ticks = [(0.0, "0"), (last, f"{last:,.0f} epochs")]
    st.html(svg_plots.line([0.0, last], [rate, rate], f"Learning rate. {words}", ticks))
    st.caption(escape_markdown(words, 200))


def rate_of(training: Mapping[str, Any]) -> Any:
    """The learning rate of a training, or its optimiser's default if none is set."""
    optimiser = OPTIMIZERS.get(str(training.get("optimizer", DECLARED_OPTIMIZER)))
    return training.get("lr", optimiser.lr if optimiser else None)


def _plot_preview(preview: Mapping[str, Any], factors: Sequence[float], last: float) -> None:
    """Plot the learning rates of all parameter groups from epoch 0 to `last`."""
    words = describe(preview["epochs"], preview["lr"])
    if factors:
        words += f" Dotted: blocks with {', '.join(f'{f:g}' for f in factors)} times the rate."
    picture = f"Learning rate over the epochs. {words}"
    lines = [[*rates, rates[-1]] for rates in (preview["lr"], *preview["others"])]
    epochs = [*preview["epochs"], last]
    if preview["stairs"]:
        epochs, lines = staircase(epochs, lines)
    ticks = [(0.0, "0"), (last, f"{last:,.0f} epochs")]
    st.html(svg_plots.line(epochs, lines[0], picture, ticks, others=lines[1:]))
    st.caption(escape_markdown(words, 200))


@st.cache_data(max_entries=CACHED, show_spinner=False)
def _preview(
    training: str, task: str, losses: tuple[str, ...], samples: int, factors: tuple[float, ...]
) -> dict[str, Any]:
    settings = json.loads(training)
    return pool.call(training_calls.rates, settings, task, losses, samples, factors)


def staircase(xs: list[float], lines: list[list[float]]) -> tuple[list[float], list[list[float]]]:
    """Lines that keep their value until the next x, and jump there."""
    corners = [x for pair in pairwise(xs) for x in pair]
    return corners, [[y for value in ys[:-1] for y in (value, value)] for ys in lines]


def describe(epochs: list[float], rates: list[float]) -> str:
    """Describe the curve of the learning rate in a sentence."""
    if min(rates) == max(rates):
        return f"Stays at {rates[0]:.3g}: the schedule has no effect in so few epochs."
    top = max(range(len(rates)), key=rates.__getitem__)
    first, last = f"Starts at {rates[0]:.3g}", f"ends at {rates[-1]:.3g}"
    if top in (0, len(rates) - 1):
        return f"{first}, {last}."
    return f"{first}, peaks at {rates[top]:.3g} after {epochs[top]:.3g} epochs, {last}."


FINDER_LIMIT_S = 90.0


FINDER_HELP = (
    "Trains a copy for 100 steps, each with a larger learning rate, and shows where the loss "
    "falls fastest."
)


def finder_button() -> bool:
    """Draw the button; return whether it was pressed."""
    return st.button(
        "Find a learning rate", icon=":material/search:", key="find_rate", help=FINDER_HELP
    )


def found(document: Document) -> Any:
    """The finder's result for this project (its rate may differ), or None."""
    made, result = state.value(_key(document)) or (None, None)
    return result if made == _mark(document) else None


def forget(document: Document) -> None:
    """Remove the finder's result."""
    state.take(_key(document))


def _key(document: Document) -> str:
    return f"{document.doc_id}:found_rate"


def _mark(document: Document) -> tuple[Any, ...]:
    """The parts of the project that the finder's result depends on: all but the rate."""
    project = document.project
    rest = {name: value for name, value in project.training.items() if name != "lr"}
    return project.graph, project.data, rest


def find(document: Document) -> None:
    """Run the finder and store its result. Raises PoolError."""
    given = document.text(), str(paths.runs_dir()), document.beside
    result = pool.call(training_calls.find_lr, *given, timeout_s=FINDER_LIMIT_S)
    state.keep(_key(document), (_mark(document), result))


def show_finder(result: dict[str, Any], field: str) -> None:
    """Draw the loss over the rates, and buttons that take one. field: key of the rate's widget."""
    rates = [math.log10(rate) for rate in result["lr"]]
    words = (
        f"From {result['lr'][0]:.1g} to {result['lr'][-1]:.2g}: the loss falls fastest at "
        f"{result['steepest']:g}; a tenth of the rate with the lowest loss is {result['tenth']:g}."
    )
    marks = [math.log10(result[name]) for name in ("steepest", "tenth")]
    powers = range(math.ceil(rates[0]), math.floor(rates[-1]) + 1)
    ticks = [(float(power), f"{10.0**power:g}") for power in powers]
    picture = f"Loss over the learning rate. {words}"
    st.html(svg_plots.line(rates, result["loss"], picture, ticks, marks, size=svg_plots.LARGE))
    st.caption(f"{escape_markdown(words, 300)} Horizontal: learning rate. Vertical: loss.")
    with st.container(horizontal=True):
        for name in ("steepest", "tenth"):
            rate = f"{result[name]:g}"
            st.button(f"Use {rate}", key=f"use_{name}", on_click=state.keep, args=(field, rate))
