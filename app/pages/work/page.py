"""The My work page: every project drawn here, with its runs and earlier versions."""

from collections.abc import Sequence

import streamlit as st

from app import wing
from app.pages.shared import beginning, draft_copies, graph_thumbnail, state
from app.pages.work import rows, trash
from app.services import documents, paths, projects_with_runs
from app.services.projects_with_runs import Work
from core.project import templates
from core.project.drafts import all_backups, draft_folder
from core.runs import listing

PAGE_SIZE = 20
FEW = 3  # up to this many projects, templates are offered, too
SHOWN = "work_shown"


def render() -> None:
    """Draw the page."""
    with st.container(key="work"):
        views = listing.list_runs(paths.runs_dir())
        found = projects_with_runs.list_works(views)
        _head(len(found), len(views))
        trash.offer_undo()
        if not found:
            _nothing_yet()
        else:
            _list(found)
        if 0 < len(found) <= FEW:
            beginning.templates("build", beginning.MOST, st.header)
        trash.show_all()
        _copies(found)


def _head(projects: int, runs: int) -> None:
    with st.container(horizontal=True, vertical_alignment="bottom", key="work_head"):
        st.title("My work", width="content", anchor=False)
        if projects:
            st.caption(f"{_many(projects, 'project')} · {_many(runs, 'run')}", width="content")
        st.space("stretch")
        if st.button("New project", icon=":material/add:", key="work_new"):
            state.open_document(documents.empty())
            state.go("build")


def _many(count: int, thing: str) -> str:
    return f"{count} {thing}" if count == 1 else f"{count} {thing}s"


def _nothing_yet() -> None:
    with st.container(key="work_empty"):
        figure = graph_thumbnail.wide_image(templates.load_template(documents.FIRST).graph)
        st.html(f'<div class="ll-outlook one empty"><figure>{figure}</figure></div>')
        st.markdown(
            "**Nothing drawn yet.** Everything you draw is kept here automatically, saved or not, "
            "together with its runs."
        )
    beginning.offer("build", st.header)


def _list(found: Sequence[Work]) -> None:
    words = st.text_input(
        "Search my work",
        key="work_search",
        placeholder="Search by name, data set, file or run …",
        icon=":material/search:",
        label_visibility="collapsed",
    )
    matching = [work for work in found if projects_with_runs.fits(work, words)]
    shown = matching[: state.value(SHOWN) or PAGE_SIZE]
    with st.container(key="work_list", gap=None):
        for work in shown:
            rows.show(work)
    if not matching:
        st.caption("No results. Try part of the name of a project, data set or run.")
    if len(shown) < len(matching):
        st.button(
            f"Show {min(PAGE_SIZE, len(matching) - len(shown))} more of {len(matching)}",
            icon=":material/expand_more:",
            key="work_more",
            on_click=state.keep,
            args=(SHOWN, len(shown) + PAGE_SIZE),
        )


def _copies(found: Sequence[Work]) -> None:
    """List the earlier versions that no other page lists: the last five of each project."""
    listed = [work.path for work in found if work.path is not None]
    elsewhere = {draft_folder(p) for _, part in wing.parts("copies") for p in part.of(listed)}
    here = [file for file in all_backups() if file.parent not in elsewhere]
    draft_copies.show(here, "Earlier versions")
