"""The learning rate on the Train form: its curve over the run that is about to begin."""

import json
from typing import Any

import streamlit as st

from app import pool
from app.document import Document
from app.pages import sketch
from app.pool import PoolError
from app.text import label
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
    st.html(sketch.line(found["epochs"], found["lr"], picture, others=found["others"]))
    st.caption(label(words, 200))


@st.cache_data(max_entries=KEPT, show_spinner=False)
def _rates(
    training: str, task: str, losses: tuple[str, ...], samples: int, factors: tuple[float, ...]
) -> dict[str, Any]:
    given = json.loads(training)
    return pool.call("core.train.preview:rates", given, task, losses, samples, factors)


def said(epochs: list[float], rates: list[float]) -> str:
    """What the picture shows, in words."""
    top = max(range(len(rates)), key=rates.__getitem__)
    first, last = f"Begins at {rates[0]:.3g}", f"ends at {rates[-1]:.3g}"
    if top in (0, len(rates) - 1):
        return f"{first}, {last}."
    return f"{first}, is highest with {rates[top]:.3g} after {epochs[top]:.3g} epochs, {last}."
