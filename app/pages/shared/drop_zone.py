"""Files dropped onto a page or chosen there: data, a project or a model."""

from dataclasses import replace
from typing import Any

import streamlit as st

from app import drop
from app.pages.shared import arrivals, state
from app.services import documents, drop_store, file_drop
from app.services.document import Document
from app.services.file_drop import DropResult
from core.project.values import frozen

DROPPED, MODEL = "data:dropped", "import:dropped"
"""Session keys of files dropped for the Data page and the Import page."""


def anywhere() -> None:
    """Open files dropped anywhere on the page."""
    with st.container(key="drop_anywhere"):
        _open(drop.window(state.token(), file_drop.can_be()))


def zone(key: str) -> None:
    """Draw a drop zone with its file buttons."""
    _open(drop.zone(state.token(), key, file_drop.listed()))


def _open(name: Any) -> None:
    """Open the result of a drop and go to its page."""
    opened = drop_store.take(state.token(), name)
    if opened is None:
        return
    if opened.begin is not None:
        state.open_document(arrivals.announce(opened.begin()))
    elif opened.data is not None:
        _take_data(state.document(), opened)
    elif opened.model:
        state.keep(MODEL, opened.model)
    state.go(opened.page)


def _take_data(document: Document | None, opened: DropResult) -> None:
    """Choose data in the open project, or in a new one."""
    if document is None:
        state.open_document(document := documents.empty())
    before, data = document.project.data, frozen(dict(opened.data or {}))
    state.keep(DROPPED, (document.doc_id, data, before, opened))
    document.replace(replace(document.project, data=data))
