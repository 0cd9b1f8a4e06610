"""Deleting on My work: moved aside, restored by a button, gone after 30 days."""

from collections.abc import Sequence
from pathlib import Path

import streamlit as st

from app.markdown import escape_markdown
from app.pages.shared import state
from app.services import paths
from app.services.projects_with_runs import Work
from core.common.errors import LayerloomError, RunError
from core.project import ProjectError
from core.project.deleted_projects import (
    KEPT_DAYS,
    DeletedProject,
    list_deleted,
    move_to_deleted,
    restore_project,
)
from core.runs import delete
from core.runs.listing import ALIVE, RunView

_LAST, _ASKED = "work_deleted", "work_deleting"
Kept = DeletedProject | Path
"""What can be restored: a project, or the folder of a run."""


def delete_project(work: Work) -> None:
    """Delete a project; if it has runs, first ask whether to delete them."""
    if work.runs:
        state.keep(_ASKED, work.key)
        st.rerun()
    _delete(work, ())


def delete_run(view: RunView) -> None:
    """Move a run aside."""
    kept: list[Kept] = []
    if _set_runs_aside([view], kept):
        state.keep(_LAST, kept)
        st.rerun()


def ask(work: Work) -> None:
    """Ask about the runs of a project to delete, below its row; runs that still train stay."""
    if state.value(_ASKED) != work.key:
        return
    with st.container(key="work_ask", border=True):
        _ask(work)


def _ask(work: Work) -> None:
    ended = [view for view in work.runs if view.state not in ALIVE]
    going = len(work.runs) - len(ended)
    with_runs = bool(ended)
    if work.doc_id:
        st.markdown(f"Delete **{escape_markdown(work.title, 80)}**?")
        with_runs = bool(ended) and st.toggle(_question(len(ended)), True, key="work_with_runs")
    else:
        st.markdown(
            f"Only runs of **{escape_markdown(work.title, 80)}** are left: "
            f"{_many_runs(len(ended))}."
        )
    if going:
        st.caption(
            f"{_many_runs(going)} still training. Stop {'it' if going == 1 else 'them'} "
            "first, or the project stays on My work."
        )
    elif work.doc_id and not with_runs:
        st.caption("Its runs will stay on My work, under its name.")
    st.caption(f"You can restore all of it for {KEPT_DAYS} days.")
    nothing = not work.doc_id and not ended
    with st.container(horizontal=True):
        if st.button("Delete", type="primary", key="work_delete_do", disabled=nothing):
            state.take(_ASKED)
            _delete(work, ended if with_runs else ())
        st.button("Keep", key="work_delete_not", on_click=state.take, args=(_ASKED,))


def _question(count: int) -> str:
    return "Delete its run, too?" if count == 1 else f"Delete its {count} runs, too?"


def _many_runs(count: int) -> str:
    return "1 run" if count == 1 else f"{count} runs"


def _delete(work: Work, views: Sequence[RunView]) -> None:
    """Move a project aside, with runs of it; one that is open here is closed."""
    kept: list[Kept] = []
    try:
        if work.doc_id:
            key = work.path or work.doc_id
            kept.append(move_to_deleted(key, work.title, move_file=work.removable))
    except ProjectError as error:
        st.error(escape_markdown(error, 400), icon=":material/error:")
        return
    document = state.document()
    if work.doc_id and document is not None and document.address == work.doc_id:
        state.close_document()
    whole = _set_runs_aside(views, kept)
    state.keep(_LAST, kept)
    if whole:
        st.rerun()


def _set_runs_aside(views: Sequence[RunView], kept: list[Kept]) -> bool:
    """Move runs aside and add their folders to `kept`; show an error for one that stays."""
    for view in views:
        try:
            kept.append(delete.set_aside(view.dir))
        except RunError as error:
            st.error(escape_markdown(f"{error.message} {error.hint}", 400), icon=":material/error:")
            return False
        if (chosen := state.run_dir()) is None or chosen.name == view.name:
            state.choose_run(None)
    return True


def offer_undo() -> None:
    """Show what was just deleted, with the button that restores it."""
    last = state.value(_LAST)
    if not last:
        return
    first, count = last[0], sum(isinstance(each, Path) for each in last)
    name = escape_markdown(first.title if isinstance(first, DeletedProject) else first.name, 80)
    others = count if isinstance(first, DeletedProject) else count - 1
    and_runs = f" and {_many_runs(others)} were" if others else " was"
    with st.container(key="work_undo", horizontal=True, vertical_alignment="center", border=True):
        stays = isinstance(first, DeletedProject) and first.path and Path(first.path).exists()
        more = " Its file stays where it is." if stays else ""
        st.markdown(
            f"**{name}**{and_runs} deleted.{more} You can restore it for {KEPT_DAYS} days.",
            width="stretch",
        )
        if st.button("Undo", icon=":material/undo:", key="work_undo_do", type="primary"):
            _bring_back(*last)
        if st.button("Close", icon=":material/close:", key="work_undo_close", type="tertiary"):
            state.take(_LAST)
            st.rerun()


def show_all() -> None:
    """List what can still be restored."""
    projects = list_deleted()
    runs = delete.list_aside(paths.runs_dir(), KEPT_DAYS)
    if not projects and not runs:
        return
    with st.expander(f"Deleted ({len(projects) + len(runs)})", icon=":material/delete:"):
        st.caption(f"Kept for {KEPT_DAYS} days, then deleted for good.")
        for aside in projects:
            days = "1 day" if aside.days_left == 1 else f"{aside.days_left} days"
            _entry(aside, aside.title, f"project, {days} left", aside.name)
        for kept in runs:
            _entry(kept, kept.name, "run", kept.name)


def _entry(kept: Kept, name: str, kind: str, key: str) -> None:
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(escape_markdown(name, 80), width="content")
        st.caption(kind, width="content")
        if st.button("Restore", icon=":material/undo:", key=f"work_back_{key}"):
            _bring_back(kept)


def _bring_back(*all_kept: Kept) -> None:
    try:
        for kept in all_kept:
            if isinstance(kept, DeletedProject):
                restore_project(kept)
            else:
                delete.put_back(kept)
    except LayerloomError as error:
        st.error(escape_markdown(error, 400), icon=":material/error:")
        return
    state.take(_LAST)
    st.rerun()
