"""Copies that are kept whenever a draft is saved or discarded: each opens as a new project."""

from collections.abc import Sequence
from pathlib import Path

import streamlit as st

from app.markdown import escape_markdown
from app.pages.shared import state
from app.pages.shared.project_facts import when
from app.services import documents
from core.project import ProjectError, open_project
from core.project.title import title

SHOWN = 12
ABOUT = (
    "Each time a draft is saved or discarded, a copy is kept: the last five of each project. "
    "A copy opens as a new project."
)


def show(copies: Sequence[Path], name: str) -> None:
    """Draw the list, closed; nothing where there is none. name: of it on the page."""
    if not copies:
        return
    with st.expander(f"{name} ({len(copies)})", icon=":material/history:"):
        st.caption(ABOUT)
        count = state.value("copies_shown") or SHOWN
        for number, file in enumerate(copies[:count]):
            _row(number, file)
        if len(copies) > count:
            st.button(
                "Show all", key="copies_all", on_click=state.keep,
                args=("copies_shown", len(copies)),
            )  # fmt: skip


def _row(number: int, file: Path) -> None:
    try:
        project = open_project(file)
    except (ProjectError, FileNotFoundError):  # another tab makes room for a new one
        return
    words = f"{escape_markdown(title(project), 60)} · {when(file.stat().st_mtime)}"
    if st.button(words, key=f"work_backup_{number}", type="tertiary"):
        state.open_document(documents.from_project(project))
        state.go("build")
