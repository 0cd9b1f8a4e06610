"""The learning rate on the Train form: its curve over the run that is about to begin."""

import json
from itertools import pairwise
from typing import Any

import streamlit as st

from app.markdown import label
from app.pages.shared import svg_plots
from app.process import pool
from app.process.pool import PoolError
from app.services.document import Document
from core.data import DataInfo
from core.source import rates

KEPT = 64


def curve(document: Document, info: DataInfo | None) -> None:
    """Draw the learning rate of the chosen schedule, as soon as the settings are right."""
    training = document.project.training
    factors = rates.factors(document.project.graph)
    plain = not (training.get("scheduler") or training.get("warmup") or factors)
    if info is None or plain:
        return
    try:
        found = _rates(json.dumps(training, default=dict), info.task, info.losses, info.train_size,
                       factors)  # fmt: skip
    except PoolError as error:
        st.caption(label(error, 300))
        return
    if found["why"]:
        st.caption(label(found["why"], 200))
        return
    words = said(found["epochs"], found["lr"])
    if factors:
        words += f" Dotted: blocks with {', '.join(f'{f:g}' for f in factors)} times the rate."
    picture = f"Learning rate over the epochs. {words}"
    last = float(training.get("epochs", 10))
    lines = [found["lr"], *found["others"]]
    epochs = [*found["epochs"], last]
    lines = [[*rates, rates[-1]] for rates in lines]
    if found["stairs"]:
        epochs, lines = stairs(epochs, lines)
    ticks = [(0.0, "0"), (last, f"{last:,.0f} epochs")]
    st.html(svg_plots.line(epochs, lines[0], picture, ticks, others=lines[1:]))
    st.caption(label(words, 200))


@st.cache_data(max_entries=KEPT, show_spinner=False)
def _rates(
    training: str, task: str, losses: tuple[str, ...], samples: int, factors: tuple[float, ...]
) -> dict[str, Any]:
    given = json.loads(training)
    return pool.call("core.prepare.lr_preview:rates", given, task, losses, samples, factors)


def stairs(xs: list[float], lines: list[list[float]]) -> tuple[list[float], list[list[float]]]:
    """Lines that stay at a value until the next place, and jump there."""
    places = [x for pair in pairwise(xs) for x in pair]
    return places, [[y for value in ys[:-1] for y in (value, value)] for ys in lines]


def said(epochs: list[float], rates: list[float]) -> str:
    """What the picture shows, in words."""
    if min(rates) == max(rates):
        return f"Stays at {rates[0]:.3g}: nothing moves it in so few epochs."
    top = max(range(len(rates)), key=rates.__getitem__)
    first, last = f"Begins at {rates[0]:.3g}", f"ends at {rates[-1]:.3g}"
    if top in (0, len(rates) - 1):
        return f"{first}, {last}."
    return f"{first}, is highest with {rates[top]:.3g} after {epochs[top]:.3g} epochs, {last}."
