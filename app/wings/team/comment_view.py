"""The comments on a project: threads about it, its blocks, wires and runs, on the page History."""

from collections.abc import Callable
from pathlib import Path

import streamlit as st

from app.markdown import escape_markdown
from app.pages.shared import markup, state
from app.pages.shared.project_facts import when
from app.services import paths
from app.services.document import Document
from app.services.project_runs import own_runs
from core.common.errors import ProjectError
from core.runs import listing
from core.wings.team import comments
from core.wings.team.comments import Comment, CommentSubject, CommentThread
from core.wings.team.history import who

WIDE, TALL = 760, 90
FRESH = "comment_fresh"
"""Session key of how many comments were written: each leaves empty fields behind."""
STATES = ("Open", "Resolved")
STYLE = """<style>
.ll-comment{border-left:3px solid color-mix(in srgb,currentColor 25%,transparent);
padding-left:.8rem;margin:.3rem 0}.ll-comment b{font-weight:600}.ll-comment small{opacity:.75}
.ll-comment div{white-space:pre-wrap;overflow-wrap:anywhere;font-size:.92rem}
</style>"""


def show(document: Document, path: Path) -> None:
    """Draw the form for a new thread, and the threads that are open, or those resolved."""
    st.html(STYLE)
    every = comments.threads(path)
    with st.container(width=WIDE, key="comments"):
        _begin(document, path)
        if not every:
            st.caption("Comments are kept beside the project's file, for everybody who opens it.")
            return
        closed = _closed(every)
        for thread in every:
            if thread.resolved == closed:
                _thread(document, path, thread)


def _closed(every: list[CommentThread]) -> bool:
    """Draw the choice between open and resolved threads; whether resolved ones are shown."""
    closed = sum(thread.resolved for thread in every)
    counts = dict(zip(STATES, (len(every) - closed, closed), strict=True))
    shown = st.segmented_control(
        "Comments",
        STATES,
        default=STATES[0],
        required=True,
        format_func=lambda name: f"{name} ({counts[name]})",
        label_visibility="collapsed",
        key="comments_shown",
    )
    return shown == STATES[1]


def _subjects(document: Document) -> list[CommentSubject]:
    """What may be commented on: the project, its blocks and wires, its runs."""
    runs = own_runs(document, listing.list_runs(paths.runs_dir()))
    return [
        CommentSubject(),
        *(CommentSubject("block", name) for name in document.project.graph.nodes),
        *(CommentSubject("wire", name) for name in dict.fromkeys(comments.wires(document.project))),
        *(CommentSubject("run", view.name) for view in runs),
    ]


def _begin(document: Document, path: Path) -> None:
    fresh = state.value(FRESH) or 0
    about = st.selectbox(
        "Comment on",
        _subjects(document),
        format_func=lambda each: "the project" if each.kind == "project" else each.words,
        key=f"comment_about_{fresh}",
    )
    text = st.text_area(
        "Your comment",
        height=TALL,
        max_chars=comments.LONGEST_TEXT,
        key=f"comment_text_{fresh}",
    )
    if st.button("Comment", type="primary", icon=":material/add_comment:", key="comment_begin"):
        _do(lambda: comments.begin(path, about or CommentSubject(), text, who(path.parent)))


def _do(write: Callable[[], None]) -> None:
    """Write a comment, or show why it cannot be written; what was typed then stays."""
    try:
        write()
    except (ProjectError, OSError) as error:
        st.error(escape_markdown(error, 400), icon=":material/error:")
        return
    state.keep(FRESH, (state.value(FRESH) or 0) + 1)
    st.rerun()


def _thread(document: Document, path: Path, thread: CommentThread) -> None:
    with st.container(border=True, key=f"comment_{thread.id}"):
        gone = "" if comments.is_there(thread.about, document.project) else " (not in the drawing)"
        title = "The project" if thread.about.kind == "project" else thread.about.words
        st.markdown(f"**{escape_markdown(title + gone, 160)}**")
        st.html("".join(map(_comment_html, thread.comments)))
        with st.container(horizontal=True, key=f"comment_verbs_{thread.id}"):
            _answer(path, thread)
            label, icon = ("Open again", "undo") if thread.resolved else ("Resolve", "check")
            if st.button(label, icon=f":material/{icon}:", key=f"comment_resolve_{thread.id}"):
                mine = who(path.parent)
                _do(lambda: comments.resolve(path, thread.id, mine, not thread.resolved))


def _comment_html(each: Comment) -> str:
    name = f"<b>{markup.escape(each.who or 'somebody')}</b>"
    head = f"{name} <small>{markup.escape(when(each.when_s))} {each.said}</small>"
    text = f"<div>{markup.escape(each.text)}</div>" if each.text else ""
    return f'<div class="ll-comment">{head}{text}</div>'


def _answer(path: Path, thread: CommentThread) -> None:
    with st.popover("Answer", icon=":material/reply:"):
        fresh = state.value(FRESH) or 0
        text = st.text_area(
            "Your answer",
            height=TALL,
            max_chars=comments.LONGEST_TEXT,
            key=f"comment_answer_{thread.id}_{fresh}",
        )
        if st.button("Answer", type="primary", key=f"comment_send_{thread.id}"):
            _do(lambda: comments.answer(path, thread.id, text, who(path.parent)))
