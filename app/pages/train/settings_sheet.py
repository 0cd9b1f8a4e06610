"""The settings of the next run: in one line, which opens the form as a sheet beside the results."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import streamlit as st

from app.markdown import escape_markdown
from app.pages.shared import state
from app.services import suggestions
from app.services.document import Document
from core.runs.result import data_name
from core.settings.optimizers import OPTIMIZERS
from core.settings.schema import TRAINING

SHEET = "train_sheet"
"""Session key of whether the sheet is open; before it is pressed, only where data is missing."""
DEFAULTS = {setting.name: setting.default for setting in TRAINING}


def is_open(document: Document) -> bool:
    """Whether the form is shown: as it was left, else where there is no data to train on."""
    kept = state.value(SHEET)
    return not document.project.data.get("source") if kept is None else bool(kept)


@contextmanager
def sheet(document: Document) -> Iterator[None]:
    """Draw what is inside as the sheet. A closed one is drawn, too, so that its fields act."""
    shown = "open" if is_open(document) else "closed"
    with st.container(key=f"train_sheet_{shown}"), st.container(key="train_form"):
        with st.container(horizontal=True, vertical_alignment="center", key="train_form_head"):
            st.subheader("Settings", width="content")
            st.space("stretch")
            st.button(
                "Close",
                icon=":material/close:",
                type="tertiary",
                key="close_sheet",
                on_click=state.keep,
                args=(SHEET, False),
            )
        yield


def line(document: Document) -> None:
    """Draw the line; a click opens or closes the sheet."""
    st.button(
        escape_markdown(words(document), 200),
        icon=":material/edit:",
        type="tertiary",
        key="settings_line",
        help="Change the data and the settings of the next run.",
        on_click=state.keep,
        args=(SHEET, not is_open(document)),
    )


def words(document: Document) -> str:
    """Data, length, learning rate and optimiser: "digits · 16 epochs, rate 0.003, AdamW"."""
    training = document.project.training
    offer = suggestions.offer(document)
    suggested = " (suggested)" if offer is not None and not offer.differs else ""
    return f"{data_name(document.project.data) or 'no data yet'} · {_plan(training)}{suggested}"


def _plan(training: Mapping[str, Any]) -> str:
    epochs = training.get("epochs", DEFAULTS["epochs"])
    optimiser = str(training.get("optimizer", DEFAULTS["optimizer"]))
    known = OPTIMIZERS.get(optimiser)
    rate = training.get("lr", known.lr if known else None)
    length = f"{epochs:,} epoch{'s' if epochs != 1 else ''}" if type(epochs) is int else "? epochs"
    speed = f", rate {rate:g}" if isinstance(rate, int | float) else ""
    return f"{length}{speed}, {optimiser}"
