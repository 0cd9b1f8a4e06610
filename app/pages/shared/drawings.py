"""The drawing of a run, opened as it was trained, and the link back."""

from pathlib import Path

import streamlit as st

from app.markdown import escape_markdown
from app.pages.shared import state
from app.services import documents
from core.project import ProjectError

_FROM = "drawing_from"


def open_drawing(run_dir: Path, page: str) -> None:
    """Open the drawing of a run on Build; a line over the page then leads back to `page`."""
    before = state.document(), state.run_dir()
    try:
        opened = documents.from_run(run_dir)
    except (ProjectError, OSError) as error:
        st.error(escape_markdown(error, 400), icon=":material/error:")
        return
    state.open_document(opened)
    state.choose_run(run_dir.name)
    state.keep(_FROM, (opened.doc_id, page, *before))
    state.go("build")


def show_notice() -> None:
    """Show which run the open drawing belongs to, with a link back."""
    with st.container(key="drawing_line"):
        document = state.document()
        run = documents.run_of(document.doc_id) if document and not document.path else None
        if document is None or run is None:
            return
        doc_id, page, *before = state.value(_FROM) or ("", "work", None, None)
        page = page if doc_id == document.doc_id else "work"
        with st.container(key="drawing_said", horizontal=True, vertical_alignment="center"):
            st.caption(
                f"The drawing of **{escape_markdown(run.name, 60)}**, as it was trained. "
                "Changes are saved as a new project.",
                width="stretch",
            )
            if st.button(
                f"Back to {state.declaration(page).title}",
                icon=":material/arrow_back:",
                key="drawing_back",
            ):
                _go_back(page, before if doc_id == document.doc_id else [None, None])


def _go_back(page: str, before: list) -> None:
    """Leave for the page from which the drawing was opened, with what was open there."""
    document, run = before
    if document is not None:
        state.open_document(document)
        state.choose_run(run.name if run is not None else None)
    state.go(page)
