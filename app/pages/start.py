"""The start page: introduction, recent projects, templates, opening a file."""

from collections.abc import Callable

import streamlit as st

from app import shell, wing
from app.pages.shared import drop_zone, markup, open_file, runs
from app.pages.shared.beginning import begin, card, shape_of
from app.pages.shared.project_facts import when
from app.services import documents, paths
from app.services.document import Document
from app.services.projects_with_runs import Work, list_works
from core.project import Project
from core.runs import listing

SPIRAL = "mlp_spirals"
"""The template whose training the start page plays."""


def render() -> None:
    """Draw the page."""
    with st.container(key="start"):
        with st.container(key="start_hero"):
            with st.container(key="start_words"):
                st.title(shell.TITLE)
                with st.container(key="start_lead"):
                    markup.prose(shell.LEAD)
                _begin()
            with st.container(key="start_wonder"):
                shell.spiral()
                st.button(
                    "Open this network",
                    icon=":material/arrow_forward:",
                    type="tertiary",
                    key="open_spiral",
                    on_click=begin,
                    args=(_opener_of(SPIRAL),),
                )
        drop_zone.zone("start_drop")
        _recent()
        _templates()


def _templates() -> None:
    """Draw the templates by chapter, or the results of a search."""
    st.header("Start with a template")
    chapters = documents.chapters()
    words = st.text_input(
        "Search templates",
        key="templates_search",
        placeholder=f"Search {sum(map(len, chapters.values()))} templates: attention, regression, "
        "digits, 2017 …",
        icon=":material/search:",
        label_visibility="collapsed",
    )
    count = 0
    for number, (chapter, known) in enumerate(chapters.items()):
        chosen = {n: project for n, project in known.items() if _fits(words, chapter, n, project)}
        count += len(chosen)
        if chosen:
            st.subheader(chapter, anchor=False)
            with st.container(key=f"templates_{number}"):
                for name, project in chosen.items():
                    card(f"template_{name}", project, shape_of(project), _opener_of(name))
    if not count:
        st.info(
            "No results. Try fewer words, such as convolution or text.",
            icon=":material/search_off:",
        )


def _fits(words: str, chapter: str, name: str, project: Project) -> bool:
    """Whether a template has every word of a search in its name, text, chapter, data or blocks."""
    parts = [chapter, name, project.name, project.about, str(project.data.get("source", ""))]
    inner = [
        part
        for composite in project.graph.composites.values()
        for part in composite.graph.nodes.values()
    ]
    parts += [node.block for node in (*project.graph.nodes.values(), *inner)]
    text = " ".join(parts).lower()
    return all(word in text for word in words.lower().split())


def _begin() -> None:
    with st.container(horizontal=True, vertical_alignment="center"):
        if st.button("Start with LeNet", type="primary", icon=":material/play_arrow:", key="first"):
            begin(_opener_of(documents.FIRST))
        _of_wings("first")
        if st.button("Empty project", icon=":material/add:", key="empty"):
            begin(documents.empty)
        _of_wings("empty")
        open_file.button()


def _of_wings(button: str) -> None:
    """Draw what stands behind a button, by its key."""
    for _, part in wing.parts("start"):
        if button == part.AFTER:
            part.button()


def _recent() -> None:
    entries = documents.recent()
    if not entries:
        return
    st.header("Continue")
    works = {work.doc_id: work for work in list_works(listing.list_runs(paths.runs_dir()))}
    with st.container(key="recent"):
        for number, item in enumerate(entries[:4]):
            small = last_line(item.where, works.get(item.doc_id))
            card(f"recent_{number}", item.project, small, _restorer_of(item.doc_id))


def last_line(where: str, work: Work | None) -> str:
    """The best result of a project, where it is, and when it was drawn or trained last."""
    if work is None:
        return where
    score = runs.best_result(work.best) if work.best is not None else ""
    return " · ".join(filter(None, (score, where, when(work.changed_s))))


def _opener_of(name: str) -> Callable[[], Document]:
    return lambda: documents.from_template(name)


def _restorer_of(doc_id: str) -> Callable[[], Document]:
    return lambda: documents.restore(doc_id)
