"""Trials before a long run: the learning rate finder, overfitting one batch."""

from collections.abc import Callable
from dataclasses import dataclass

import streamlit as st

from app.markdown import escape_markdown
from app.pages.train import lr, overfit_one_batch
from app.process.pool import PoolError
from app.services.document import Document


@dataclass(frozen=True)
class Asked:
    """The requested trials. field: key of the learning rate's widget."""

    field: str = ""
    finder: bool = False
    overfit: bool = False


def show(document: Document, asked: Asked) -> bool:
    """Run the requested trials and draw their results; return whether there are any."""
    if asked.finder:
        _try(lambda: lr.find(document), "Trying 100 learning rates")
    if asked.overfit:
        _try(lambda: overfit_one_batch.learn(document), "Overfitting one batch")
    rates, batch = lr.found(document), overfit_one_batch.found(document)
    if rates:
        with st.container(border=True, key="trial_finder"):
            _head("Learning rate finder", "finder", lambda: lr.forget(document))
            lr.show_finder(rates, asked.field)
    if batch:
        with st.container(border=True, key="trial_batch"):
            _head("Overfit one batch", "batch", lambda: overfit_one_batch.forget(document))
            overfit_one_batch.show(batch)
    return bool(rates or batch)


def _head(title: str, name: str, forget: Callable[[], None]) -> None:
    with st.container(horizontal=True, vertical_alignment="center", key=f"trial_{name}_head"):
        st.subheader(title, width="content")
        st.space("stretch")
        st.button(
            "Close", icon=":material/close:", key=f"close_{name}", type="tertiary", on_click=forget
        )


def _try(trial: Callable[[], None], words: str) -> None:
    try:
        with st.spinner(words):
            trial()
    except PoolError as error:
        st.error(escape_markdown(error, 400), icon=":material/error:")
