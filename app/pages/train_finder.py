"""A button on the Train form that tries learning rates and offers those that suit."""

import math
from typing import Any

import streamlit as st

from app import places, pool
from app.document import Document
from app.pages import sketch
from app.pool import PoolError
from app.text import label

LIMIT_S = 90.0
HELP = (
    "Trains a copy for a hundred steps, each with a larger learning rate, and shows where the loss "
    "falls fastest."
)


def ask(document: Document, field: str) -> None:
    """Draw the button and what it found. field: key of the widget that holds the rate."""
    kept = f"{document.doc_id}:found_rate"
    if st.button("Find a learning rate", icon=":material/search:", key="find_rate", help=HELP):
        try:
            with st.spinner("Trying a hundred learning rates"):
                where = str(places.runs_dir()), document.beside
                found = pool.call(
                    "core.train.finder:find_rate", document.text(), *where, timeout_s=LIMIT_S
                )
            st.session_state[kept] = found
        except PoolError as error:
            st.error(label(error, 400), icon=":material/error:")
    if kept in st.session_state:
        _show(st.session_state[kept], field)


def _show(found: dict[str, Any], field: str) -> None:
    rates = [math.log10(rate) for rate in found["lr"]]
    words = (
        f"From {found['lr'][0]:.1g} to {found['lr'][-1]:.2g}: the loss falls fastest at "
        f"{found['steepest']:g}; a tenth of where it is lowest is {found['tenth']:g}."
    )
    marks = [math.log10(found[name]) for name in ("steepest", "tenth")]
    st.html(sketch.line(rates, found["loss"], f"Loss over the learning rate. {words}", marks))
    st.caption(label(words, 300))
    with st.container(horizontal=True):
        for name in ("steepest", "tenth"):
            rate = f"{found[name]:g}"
            st.button(f"Use {rate}", key=f"use_{name}", on_click=_use, args=(field, rate))


def _use(field: str, rate: str) -> None:
    st.session_state[field] = rate
