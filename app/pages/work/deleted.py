"""What was deleted on My work: moved aside, brought back by a button, gone after 30 days."""

from pathlib import Path

import streamlit as st

from app.markdown import escape_markdown
from app.pages.shared import state
from app.services import paths
from app.services.works import Work
from core.errors import RunError
from core.project import ProjectError
from core.project.aside import KEPT_DAYS, Aside, list_aside, put_back, set_aside
from core.runs import delete
from core.runs.listing import RunView

_LAST = "work_deleted"


def delete_project(work: Work) -> None:
    """Move a project aside; one that is open here is closed."""
    try:
        key = work.path or work.doc_id
        aside = set_aside(key, work.title, move_file=work.removable)
    except ProjectError as error:
        st.error(escape_markdown(error, 400), icon=":material/error:")
        return
    document = state.document()
    if document is not None and document.address == work.doc_id:
        state.close_document()
    state.keep(_LAST, aside)
    st.rerun()


def delete_run(view: RunView) -> None:
    """Move a run aside."""
    try:
        kept = delete.set_aside(view.dir)
    except RunError as error:
        st.error(escape_markdown(f"{error.message} {error.hint}", 400), icon=":material/error:")
        return
    if (chosen := state.run_dir()) is None or chosen.name == view.name:
        state.choose_run(None)
    state.keep(_LAST, kept)
    st.rerun()


def offer_undo() -> None:
    """Say what was deleted just now, with the button that brings it back."""
    last = state.value(_LAST)
    if last is None:
        return
    name = escape_markdown(last.title if isinstance(last, Aside) else last.name, 80)
    with st.container(key="work_undo", horizontal=True, vertical_alignment="center", border=True):
        stays = isinstance(last, Aside) and last.path and Path(last.path).exists()
        more = " Its file stays where it is." if stays else ""
        st.markdown(
            f"**{name}** was deleted.{more} It can be brought back for {KEPT_DAYS} days.",
            width="stretch",
        )
        if st.button("Undo", icon=":material/undo:", key="work_undo_do", type="primary"):
            _bring_back(last)
        if st.button("Close", icon=":material/close:", key="work_undo_close", type="tertiary"):
            state.take(_LAST)
            st.rerun()


def show_all() -> None:
    """List what can still be brought back."""
    projects = list_aside()
    runs = delete.list_aside(paths.runs_dir(), KEPT_DAYS)
    if not projects and not runs:
        return
    with st.expander(f"Deleted ({len(projects) + len(runs)})", icon=":material/delete:"):
        st.caption(f"Kept for {KEPT_DAYS} days, then gone for good.")
        for aside in projects:
            days = "1 day" if aside.days_left == 1 else f"{aside.days_left} days"
            _entry(aside, aside.title, f"project, {days} left", aside.name)
        for kept in runs:
            _entry(kept, kept.name, "run", kept.name)


def _entry(kept: Aside | Path, name: str, kind: str, key: str) -> None:
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(escape_markdown(name, 80), width="content")
        st.caption(kind, width="content")
        if st.button("Bring back", icon=":material/undo:", key=f"work_back_{key}"):
            _bring_back(kept)


def _bring_back(kept: Aside | Path) -> None:
    try:
        if isinstance(kept, Aside):
            put_back(kept)
        else:
            delete.put_back(kept)
    except (ProjectError, RunError) as error:
        st.error(escape_markdown(error, 400), icon=":material/error:")
        return
    state.take(_LAST)
    st.rerun()
