"""Pages without an open project: purpose of the page, and projects to open."""

import html
from collections.abc import Callable
from typing import Any

import streamlit as st

from app.markdown import escape_markdown
from app.pages.shared import graph_thumbnail, markup, state
from app.services import documents
from app.services.document import Document
from core.project import Project, ProjectError
from core.project.title import title

MOST = 4


def require_document(page: str) -> Document:
    """Return the open project; without one, show the purpose of the page and stop it."""
    opened = state.document()
    if opened is None:
        declared = state.declaration(page)
        st.header(declared.title)
        markup.prose(f"{declared.purpose} No project is open yet.")
        offer(page)
        st.stop()
    return opened


def offer(page: str, heading: Callable[..., Any] = st.subheader) -> None:
    """Offer to continue with a project, or to start with a template, on the page of that name.

    heading: st.header below a title, st.subheader below a header: no level is left out.
    """
    recent = documents.recent()[:MOST]
    if recent:
        heading("Continue", anchor=False)
        with st.container(key="templates_continue"):
            for number, item in enumerate(recent):
                card(
                    f"recent_{number}",
                    item.project,
                    item.where,
                    lambda doc=item.doc_id: documents.restore(doc),
                    page,
                )
    templates(page, MOST if recent else 2 * MOST, heading)


def templates(page: str, count: int, heading: Callable[..., Any] = st.subheader) -> None:
    """Offer templates, and a link to all of them."""
    heading("Start with one of these", anchor=False)
    with st.container(key="templates_begin"):
        for name, project in _first(count).items():
            card(
                f"template_{name}",
                project,
                shape_of(project),
                lambda template=name: documents.from_template(template),
                page,
            )
    st.page_link(state.page("start"), label="All templates, or open a file", icon=":material/home:")


def _first(count: int) -> dict[str, Project]:
    """The first templates of the first chapter, then the first one of each that follows."""
    first, *more = documents.chapters().values()
    heads = [next(iter(chapter.items())) for chapter in more if chapter]
    return dict([*list(first.items())[:MOST], *heads][:count])


def card(
    key: str, project: Project, small: str, opener: Callable[[], Document], page: str = "build"
) -> None:
    """Draw a project as a card, which opens on the page of that name. small: its last line."""
    with st.container(key=f"card_{key}"):
        st.html(graph_thumbnail.image(project.graph))
        if st.button(escape_markdown(title(project), 60), key=f"open_{key}", type="tertiary"):
            begin(opener, page)
        st.caption(escape_markdown(_first_sentence(project.about), 150))
        st.html(f'<small class="ll-small">{html.escape(small)}</small>')


def begin(opener: Callable[[], Document], page: str = "build") -> None:
    """Open a project and go to a page; say why when it cannot be opened."""
    try:
        state.open_document(opener())
    except ProjectError as error:
        st.error(f"{escape_markdown(error, 400)} Nothing was changed.", icon=":material/error:")
        return
    state.go(page)


def shape_of(project: Project) -> str:
    """How many blocks a project has, and its data."""
    blocks = len(project.graph.nodes)
    source = project.data.get("source")
    return f"{blocks} blocks · {source}" if isinstance(source, str) else f"{blocks} blocks"


def _first_sentence(about: str) -> str:
    head, stop, _ = about.partition(". ")
    return head + "." if stop else about
