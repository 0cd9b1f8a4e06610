"""A row of My work: picture, name, data, date, best result, buttons and runs."""

import html

import streamlit as st

from app.markdown import escape_markdown
from app.pages.shared import (
    drawings,
    graph_thumbnail,
    rename_form,
    runs,
    state,
    sweep_row,
    verdicts,
)
from app.pages.shared.project_facts import facts, when
from app.pages.work import trash
from app.services import documents, projects_with_runs
from app.services.projects_with_runs import Work
from core.common.errors import LayerloomError
from core.project import ProjectError
from core.project.title import is_named
from core.runs.listing import ALIVE, RunView
from core.runs.rows import ListedRuns, rows

OPEN, PLACE = "work_open", "work"
RUNS_SHOWN = 10


def show(work: Work) -> None:
    """Draw a row, with its runs below if it is unfolded."""
    unfolded = state.value(OPEN) == work.key
    with st.container(key=f"work_row_{work.key}", horizontal=True, vertical_alignment="center"):
        st.html(f'<div class="ll-work-picture">{graph_thumbnail.image(work.project.graph)}</div>')
        with st.container(key=f"work_name_{work.key}", gap=None):
            if st.button(
                escape_markdown(work.title, 80), key=f"work_open_{work.key}", type="tertiary"
            ):
                _open(work)
            st.html(f'<small class="ll-small">{html.escape(facts(work))}</small>')
        st.html(_result(work))
        _unfold(work, unfolded)
        _verbs(work)
    trash.ask(work)
    if unfolded:
        _runs(work)


def _result(work: Work) -> str:
    """The best result of its runs, above the verdict on that run."""
    best = work.best
    score = runs.best_result(best) if best is not None else ""
    below = (verdicts.word(best) if best is not None else "") or "best result"
    apart = f" {work.apart} more judged by or on something else." if work.apart else ""
    title = f"Best result of its runs: {score}. {below}.{apart}"
    words = f"<b>{html.escape(score)}</b><span>{html.escape(below)}</span>" if score else ""
    return f'<div class="ll-work-best" title="{html.escape(title) if score else ""}">{words}</div>'


def _unfold(work: Work, unfolded: bool) -> None:
    count = len(work.runs)
    words = f"{count} run" if count == 1 else f"{count} runs" if count else "No runs"
    st.button(
        words,
        icon=":material/expand_less:" if unfolded else ":material/expand_more:",
        key=f"work_runs_{work.key}",
        type="tertiary",
        disabled=not count,
        help=None if count else "Not trained yet.",
        on_click=state.keep,
        args=(OPEN, "" if unfolded else work.key),
    )


def _verbs(work: Work) -> None:
    gone = not work.doc_id
    if st.button(
        f"Rename {escape_markdown(work.title, 40)}",
        icon=":material/edit:",
        key=f"work_rename_{work.key}",
        type="tertiary",
        disabled=gone or bool(work.problem),
        help=work.fixed or "Rename",
    ):
        _rename(work)
    if st.button(
        f"Delete {escape_markdown(work.title, 40)}",
        icon=":material/delete:",
        key=f"work_delete_{work.key}",
        type="tertiary",
        help="Delete (you can restore it)",
    ):
        trash.delete_project(work)


def _open(work: Work) -> None:
    """Open the project, or the drawing of the latest run if only runs are left."""
    if not work.doc_id:
        drawings.open_drawing(work.runs[0].dir, "work")
        return
    if _opened(work):
        state.go("build")


def _opened(work: Work) -> bool:
    """Open the project in this tab; show an error if that fails."""
    document = state.document()
    if document is not None and document.address == work.doc_id:
        return True
    try:
        state.open_document(documents.restore(work.doc_id))
    except ProjectError as error:
        st.error(escape_markdown(error, 400), icon=":material/error:")
        return False
    return True


@st.dialog("Rename")
def _rename(work: Work) -> None:
    before = work.project.name if is_named(work.project) else ""
    name, _ = rename_form.ask("work_rename", before, work.title)
    if name is None:
        return
    try:
        projects_with_runs.rename(work, name, state.document())
    except (LayerloomError, OSError) as error:
        st.error(escape_markdown(error, 400), icon=":material/error:")
        return
    st.rerun()


def _runs(work: Work) -> None:
    """The runs of a project, latest first; the trials of a sweep are folded to one row."""
    listed = rows(work.runs)
    shown = state.value(f"work_all_{work.key}") or RUNS_SHOWN
    with st.container(key="work_runs", gap="xsmall"):
        for row in listed[:shown]:
            if row.sweep:
                _sweep(row)
            for view in row.views if not row.sweep or sweep_row.is_open(row, PLACE) else ():
                _run(work, view)
        if len(listed) > shown:
            st.button(
                f"Show all {len(work.runs)} runs",
                key="work_all_runs",
                type="tertiary",
                on_click=state.keep,
                args=(f"work_all_{work.key}", len(listed)),
            )


def _sweep(row: ListedRuns) -> None:
    """The row of a sweep: how many trials are in which state, and the best result."""
    with st.container(horizontal=True, vertical_alignment="center"):
        sweep_row.button(row, PLACE)
        sweep_row.badges(row)
        st.caption(escape_markdown(_summary(row.best)), width="content")
        st.space("stretch")
        st.caption(when(row.views[0].created_s), width="content")


def _summary(view: RunView) -> str:
    """What a run reached, and the verdict on it."""
    return " · ".join(filter(None, (runs.best_result(view), verdicts.word(view))))


def _run(work: Work, view: RunView) -> None:
    word, colour, icon = runs.BADGES[view.state]
    with st.container(horizontal=True, vertical_alignment="center"):
        if st.button(
            escape_markdown(view.name, 40),
            key=f"work_show_{view.name}",
            type="tertiary",
            help="Show curves and results",
        ):
            _show_run(work, view)
        st.badge(word, color=colour, icon=icon)
        runs.place_badge(view)
        st.caption(escape_markdown(_summary(view)), width="content")
        st.space("stretch")
        st.caption(when(view.created_s), width="content")
        if st.button(
            "Drawing",
            icon=":material/account_tree:",
            key=f"work_drawing_{view.name}",
            help="Open the drawing that this run trained",
        ):
            drawings.open_drawing(view.dir, "work")
        if st.button(
            f"Delete {view.name}",
            icon=":material/delete:",
            type="tertiary",
            key=f"work_drop_{view.name}",
            disabled=view.state in ALIVE,
            help="Stop the run first." if view.state in ALIVE else "Delete (you can restore it)",
        ):
            trash.delete_run(view)


def _show_run(work: Work, view: RunView) -> None:
    """Show a run on Train, with its project, or else its drawing, open."""
    if work.doc_id:
        if not _opened(work):
            return
    else:
        try:
            state.open_document(documents.from_run(view.dir))
        except (ProjectError, OSError) as error:
            st.error(escape_markdown(error, 400), icon=":material/error:")
            return
    state.choose_run(view.name)
    state.go("train")
