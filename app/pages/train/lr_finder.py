"""A button on the Train form that tries learning rates and offers those that suit."""

import math
from typing import Any

import streamlit as st

from app.markdown import label
from app.pages.shared import state, svg_plots
from app.process import pool
from app.process.pool import PoolError
from app.services import paths
from app.services.document import Document

LIMIT_S = 90.0
HELP = (
    "Trains a copy for a hundred steps, each with a larger learning rate, and shows where the loss "
    "falls fastest."
)


def pressed() -> bool:
    """Draw the button; whether it was pressed just now."""
    return st.button("Find a learning rate", icon=":material/search:", key="find_rate", help=HELP)


def tell(document: Document, field: str, now: bool) -> None:
    """Try the rates now, or show what was found for exactly this project but its rate.

    field: key of the widget that holds the rate.
    """
    kept, project = f"{document.doc_id}:found_rate", document.project
    rest = {name: value for name, value in project.training.items() if name != "lr"}
    mark = (project.graph, project.data, rest)
    if now:
        try:
            with st.spinner("Trying a hundred learning rates"):
                where = str(paths.runs_dir()), document.beside
                found = pool.call(
                    "core.prepare.lr_finder:find_lr", document.text(), *where, timeout_s=LIMIT_S
                )
            state.keep(kept, (mark, found))
        except PoolError as error:
            st.error(label(error, 400), icon=":material/error:")
    made, found = state.value(kept) or (None, {})
    if found and made == mark:
        _show(found, field)


def _show(found: dict[str, Any], field: str) -> None:
    rates = [math.log10(rate) for rate in found["lr"]]
    words = (
        f"From {found['lr'][0]:.1g} to {found['lr'][-1]:.2g}: the loss falls fastest at "
        f"{found['steepest']:g}; a tenth of where it is lowest is {found['tenth']:g}."
    )
    marks = [math.log10(found[name]) for name in ("steepest", "tenth")]
    powers = range(math.ceil(rates[0]), math.floor(rates[-1]) + 1)
    some = powers if len(powers) < 6 else powers[::-2]
    ticks = [(float(power), f"{10.0**power:g}") for power in sorted(some)]
    picture = f"Loss over the learning rate. {words}"
    st.html(svg_plots.line(rates, found["loss"], picture, ticks, marks))
    st.caption(label(words, 300))
    with st.container(horizontal=True):
        for name in ("steepest", "tenth"):
            rate = f"{found[name]:g}"
            st.button(f"Use {rate}", key=f"use_{name}", on_click=state.keep, args=(field, rate))
