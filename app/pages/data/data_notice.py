"""Data that was just dropped or read: its contents, and a button that makes a network for it."""

from dataclasses import replace
from typing import Any

import streamlit as st

from app.markdown import escape_markdown
from app.pages.shared import drop_zone, state
from app.process import pool
from app.process.pool import PoolError
from app.services import data_guess, first_network
from app.services.document import Document
from app.services.file_drop import DropResult
from core.data import DataSettings

READ_S = 600.0


def show(document: Document) -> None:
    """Describe the dropped data, as long as its settings are unchanged."""
    doc_id, data, before, opened = state.value(drop_zone.DROPPED) or ("", None, None, None)
    if doc_id != document.doc_id or document.project.data != data or opened is None:
        return
    with st.container(key="data_said"):
        if opened.notes:
            words = "  \n".join(escape_markdown(sentence, 900) for sentence in opened.notes)
            st.success(words, icon=":material/check_circle:")
        if before and document.project.graph.nodes:
            name = before.get("file") or before.get("root") or before.get("source")
            st.button(
                f"Back to {escape_markdown(str(name), 60)}",
                icon=":material/undo:",
                key="data_again",
                on_click=_again,
                args=(document,),
            )


def read_as_meant(document: Document, data: dict[str, Any]) -> None:
    """Read own data with the most likely settings, when only its file or folder is known.

    Raises PoolError if it cannot be read.
    """
    found, notes, error = pool.read(
        data_guess.bytes_of(data), data_guess.guess_and_read, data, timeout_s=READ_S
    )
    if found != data:
        document.change(data=found)
        document.form.data_epoch += 1  # so that the form shows the settings as read
    kept = document.project.data
    state.keep(
        drop_zone.DROPPED, (document.doc_id, kept, {}, DropResult("data", found, notes, error))
    )
    if error:
        raise PoolError(error)


def _again(document: Document) -> None:
    _, _, before, _ = state.take(drop_zone.DROPPED)
    document.replace(replace(document.project, data=before))


def offer_network(document: Document, settings: DataSettings) -> None:
    """Offer to draw a network that fits the data; it goes to the canvas."""
    if not first_network.can_make(settings):
        return
    empty = not document.project.graph.nodes
    words = (
        "Draws a small network that fits this data, with suitable settings."
        if empty
        else (
            "Replaces the network on the canvas with a small one that fits this data. Undo on the "
            "canvas brings the old one back."
        )
    )
    if st.button(
        "Make a network for this data",
        type="primary" if empty else "secondary",
        icon=":material/network_node:",
        key="make_network",
        help=words,
    ):
        first_network.make(document)
        state.go("build")
