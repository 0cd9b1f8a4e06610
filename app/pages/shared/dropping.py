"""What is dropped onto a page, or chosen there, opens: data, a project, a model."""

from dataclasses import replace
from typing import Any

import streamlit as st

from app import drop
from app.pages.shared import bundle_notice, state
from app.services import documents, drops
from app.services.document import Document
from app.services.dropped import Opened
from core.project.values import frozen

DROPPED, MODEL = "data:dropped", "import:dropped"
"""Where this tab keeps what was dropped for the Data page, and for the Import page."""


def anywhere() -> None:
    """Take what is dropped anywhere on the page that is drawn."""
    with st.container(key="drop_anywhere"):
        _open(drop.window(state.token()))


def zone(key: str) -> None:
    """Draw a place that says what can be dropped, with buttons to choose it."""
    _open(drop.zone(state.token(), key))


def _open(name: Any) -> None:
    """Lead to what a drop became."""
    opened = drops.take(state.token(), name)
    if opened is None:
        return
    if opened.begin is not None:
        state.open_document(bundle_notice.announced(opened.begin()))
    elif opened.data is not None:
        _take_data(state.document(), opened)
    elif opened.model:
        state.keep(MODEL, opened.model)
    state.go(opened.page)


def _take_data(document: Document | None, opened: Opened) -> None:
    """Choose data in the open project, or in one of its own."""
    if document is None:
        state.open_document(document := documents.empty())
    before, data = document.project.data, frozen(dict(opened.data or {}))
    state.keep(DROPPED, (document.doc_id, data, before, opened))
    document.replace(replace(document.project, data=data))
