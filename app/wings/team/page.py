"""The page "History": versions of a project, what changed between two, and comments on it."""

import base64
from collections.abc import Sequence
from pathlib import Path

import streamlit as st

from app.markdown import escape_markdown
from app.pages.shared import draft_copies, graph_thumbnail, markup, state
from app.pages.shared.beginning import require_document
from app.pages.shared.page_declaration import Page
from app.pages.shared.project_facts import when
from app.services.document import Document
from app.wings.team import comment_view, report_page, service
from app.wings.team.service import Drawn
from core.project import ProjectError
from core.project.drafts import list_backups
from core.wings.team import comments
from core.wings.team.history import PastVersion, history, what_changed
from core.wings.team.one_file import table_html

VERSIONS, COMMENTS = "Versions", "Comments"
CHOSEN, SHOWN = "history_chosen", "history_shown"
PAGE_SIZE = 20
COPIES = "Earlier versions"
TABLE_STYLE = """<style>
.ll-versions h2{font-size:1.05rem;padding:.6rem 0 .3rem}
.ll-versions table{width:100%;border-collapse:collapse;font-size:.85rem}
.ll-versions :is(th,td){text-align:left;vertical-align:top;padding:.3rem .6rem .3rem 0;
overflow-wrap:anywhere;border-bottom:1px solid color-mix(in srgb,currentColor 18%,transparent)}
.ll-versions th{font-weight:500;opacity:.75}
</style>"""
LIST_TALL = 760
"""Pixels: the list scrolls by itself, so that what is drawn stays in view."""


def render() -> None:
    """Draw the page."""
    document = require_document("history")
    markup.style()
    st.header("History", anchor=False)
    moments = history(document.path) if document.path else []
    copies = list_backups(document.path) if document.path else ()
    if not moments:
        _nothing_yet(document)
        draft_copies.show(copies, COPIES)
        return
    if document.path and _view(document.path) == COMMENTS:
        comment_view.show(document, document.path)
        return
    chosen = next((m for m in moments if _key(m) == state.value(CHOSEN)), moments[0])
    left, right = st.columns([5, 11], gap="large")
    with left:
        _list(moments, chosen)
        draft_copies.show(copies, COPIES)
    with right:
        _show(document, moments, chosen)


def _view(path: Path) -> str:
    """Draw the choice of what is shown; comments with the number of those that are open."""
    still_open = sum(not thread.resolved for thread in comments.threads(path))
    return (
        st.segmented_control(
            "View",
            (VERSIONS, COMMENTS),
            default=VERSIONS,
            required=True,
            format_func=lambda name: f"{name} ({still_open})" if name == COMMENTS else name,
            label_visibility="collapsed",
            key="history_view",
        )
        or VERSIONS
    )


def _nothing_yet(document: Document) -> None:
    """Show what the page offers before the first save."""
    figure = graph_thumbnail.wide_image(document.project.graph)
    st.html(f'<div class="ll-outlook one empty"><figure>{figure}</figure></div>')
    st.markdown(
        "**No versions yet.** Each time you save, a version of this project is kept here: compare "
        "two in one drawing, go back to one, or give it a name."
    )
    if st.button("Save", type="primary", icon=":material/save:", key="history_save"):
        _saved(document)


def _saved(document: Document) -> None:
    try:
        document.save()
    except ProjectError as error:
        st.error(escape_markdown(error, 400), icon=":material/error:")
        return
    st.rerun()


def _key(moment: PastVersion) -> str:
    return f"{moment.of.when_s}-{moment.of.id}"


def _list(moments: Sequence[PastVersion], chosen: PastVersion) -> None:
    count = state.value(SHOWN) or PAGE_SIZE
    with st.container(key="history_list", gap="small", height=LIST_TALL, border=False):
        for moment in moments[:count]:
            _row(moments, moment, moment is chosen)
    if len(moments) > count:
        st.button(
            f"Show {min(PAGE_SIZE, len(moments) - count)} more of {len(moments)}",
            icon=":material/expand_more:",
            key="history_more",
            on_click=state.keep,
            args=(SHOWN, count + PAGE_SIZE),
        )


def _row(moments: Sequence[PastVersion], moment: PastVersion, is_chosen: bool) -> None:
    who = escape_markdown(moment.of.who or "somebody", 60)
    with st.container(key=f"history_{_key(moment)}", gap=None):
        if st.button(
            f"{when(moment.of.when_s)} · {who}",
            key=f"history_open_{_key(moment)}",
            type="primary" if is_chosen else "secondary",
            icon=":material/commit:" if moment.kind == "commit" else ":material/save:",
            width="stretch",
        ):
            state.keep(CHOSEN, _key(moment))
            st.rerun()
        if moment.of.name:
            st.markdown(f"**{escape_markdown(moment.of.name, 120)}**")
        st.caption(escape_markdown(what_changed(list(moments), moment), 160))


def _show(document: Document, moments: list[PastVersion], chosen: PastVersion) -> None:
    sides = service.others(document, moments, chosen)
    with st.container(horizontal=True, vertical_alignment="bottom", key="history_verbs"):
        number = st.selectbox(
            "Compare with",
            range(len(sides)),
            format_func=lambda at: sides[at].title,
            key=f"history_with_{_key(chosen)}",
            width=320,
        )
        st.space("stretch")
        if chosen.kind == "version":
            _naming(chosen, document)
        if st.button(
            "Go back to this version",
            icon=":material/history:",
            key="history_back",
            help="Saves it as a new version. What you have now stays in this list.",
        ):
            _go_back(document, chosen)
    try:
        _draw(service.drawn(service.side(chosen), sides[number or 0]))
    except ProjectError as error:
        st.error(escape_markdown(error, 400), icon=":material/error:")


def _naming(chosen: PastVersion, document: Document) -> None:
    with st.popover("Give it a name", icon=":material/label:"):
        name = st.text_input(
            "Name of this version",
            value=chosen.of.name,
            max_chars=120,
            key=f"history_name_{_key(chosen)}",
            help="A version with a name is never thinned out.",
        )
        if st.button("Save the name", key="history_name_save"):
            try:
                service.name(document, chosen, name)
            except (ProjectError, OSError) as error:
                st.error(escape_markdown(error, 400), icon=":material/error:")
                return
            st.rerun()


def _go_back(document: Document, chosen: PastVersion) -> None:
    try:
        service.go_back(document, chosen)
    except ProjectError as error:
        st.error(escape_markdown(error, 400), icon=":material/error:")
        return
    state.take(CHOSEN)
    state.say("success", f"The project is as it was {when(chosen.of.when_s)}, as a new version.")
    st.rerun()


def _draw(drawn: Drawn) -> None:
    st.markdown(f"**{escape_markdown(drawn.title, 200)}**: {escape_markdown(drawn.words, 300)}")
    st.html(TABLE_STYLE)
    left, right = st.columns([11, 9], gap="medium")
    with left:
        _picture(drawn)
    with right:
        for table in drawn.tables:
            st.html(f'<div class="ll-versions">{table_html(table)}</div>')
        for sentence in drawn.remarks:
            st.caption(escape_markdown(sentence, 400))


def _picture(drawn: Drawn) -> None:
    svg = drawn.picture("dark" if st.context.theme.type == "dark" else "light")
    if not svg:
        st.caption("The drawing is the same.")
        return
    data = base64.b64encode(svg.encode()).decode()
    words = markup.escape(f"{drawn.title}: {drawn.words}")
    st.html(
        f'<img alt="{words}" style="display:block;max-width:100%;height:auto" '
        f'src="data:image/svg+xml;base64,{data}">'
    )


PAGE = Page(
    "history",
    "History",
    "history",
    render,
    "See every saved version of a project, what changed, go back to one, and comment.",
    after="compare",
)
MORE = (report_page.PAGE,)
