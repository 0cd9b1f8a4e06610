"""One task: what it asks for, what holds of the open drawing, and handing it in."""

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import streamlit as st

from app.markdown import escape_markdown
from app.pages.shared import graph_thumbnail, markup, state
from app.services import documents, paths
from app.services.current_run import run_to_show
from app.services.document import Document
from app.wings.classroom import task_list
from core.common.errors import ProjectError
from core.files.home import account
from core.runs import quota
from core.runs.listing import RunView
from core.wings.classroom import ClassTask, GradedLine
from core.wings.classroom.class_folder import class_folder, deliver
from core.wings.classroom.hand_in import (
    ENDING,
    LONGEST_NAME,
    HandIn,
    figures_of,
    fingerprint,
    write_hand_in,
)
from core.wings.classroom.judge import judge_each, not_judged, seen

NAME = "learn:task:name"


def whole_page() -> bool:
    """Draw the task that is chosen, which fills the page; False where none is."""
    chosen = state.value(task_list.CHOSEN)
    if not chosen:
        return False
    task = task_list.find(chosen)
    if task is None:
        state.keep(task_list.CHOSEN, "")
        st.error("This task is not here any more.", icon=":material/error:")
        return False
    task_list.style()
    _show(task)
    return True


def _show(task: ClassTask) -> None:
    if st.button("All tasks", icon=":material/arrow_back:", type="tertiary", key="learn_all"):
        state.keep(task_list.CHOSEN, "")
        st.rerun()
    st.header(escape_markdown(task.title, 80))
    st.caption(escape_markdown(task_list.facts(task)))
    left, right = st.columns([8, 4], gap="large")
    document = state.document()
    run = run_to_show(document) if document else None
    with left, st.container(key="learn_step"):
        for part in task.text.split("\n"):
            st.html(f'<p class="ll-lesson ll-prose">{markup.escape(part)}</p>')
        _begin(task, document)
        _checks(task, document, run)
        _hints(task)
    with right:
        _beside(task, document, run)
    markup.scroll_to_top(task.title, key="learn_top")


def _begin(task: ClassTask, document: Document | None) -> None:
    """The way to the drawing, which is a project of the student's own."""
    begun = document is not None and document.project.name == task.start.name
    kind = "secondary" if begun else "primary"
    with st.container(horizontal=True):
        if st.button("Start the task", icon=":material/play_arrow:", type=kind, key="task_begin"):
            try:
                state.open_document(documents.from_project(task.start))
            except ProjectError as error:
                st.error(escape_markdown(error, 300), icon=":material/error:")
            else:
                state.go("build")
        if document and st.button("Open the drawing", icon=":material/account_tree:"):
            state.go("build")


def _checks(task: ClassTask, document: Document | None, run: RunView | None) -> None:
    """What holds of the open drawing, line by line."""
    if document is None:
        lines = not_judged(task, 0, "")
        st.html(f'<p class="ll-ask">What must hold:</p>{_listed(lines)}')
        return
    with st.spinner("Checking the drawing", show_time=False):
        report = document.analysed()
    figures = figures_of(run) if run else None
    lines = list(judge_each(task, seen(document.project, report, figures)))
    judged = [line for line in lines if line.judged]
    points, of = sum(line.points for line in judged), sum(line.of for line in judged)
    head = f"Checked on {document.title}: {points} of {of} points"
    st.html(f'<p class="ll-ask">{markup.escape(head)}</p>{_listed(lines)}')


def _listed(lines: Sequence[GradedLine]) -> str:
    rows = "".join(_line(line) for line in lines)
    return f'<ul class="ll-claims">{rows}</ul>'


def _line(line: GradedLine) -> str:
    """A requirement with its state: a mark, a word and a colour; the points for it."""
    kind, mark, word = ("holds", "✓", "done") if line.holds else ("open", "○", "open")
    points = f"{line.of} point{'s' if line.of > 1 else ''}"
    more = " · ".join(filter(None, (points, line.reason)))
    return (
        f'<li class="{kind}"><i role="img" aria-label="{word}">{mark}</i>'
        f"<span>{markup.escape(line.text)}<small>{markup.escape(more)}</small></span></li>"
    )


def _hints(task: ClassTask) -> None:
    if task.hints:
        with st.expander("Hints", icon=":material/lightbulb:"):
            for hint in task.hints:
                st.markdown(escape_markdown(hint, 300))


def _beside(task: ClassTask, document: Document | None, run: RunView | None) -> None:
    """The drawing, and handing it in."""
    graph = document.project.graph if document else task.start.graph
    with st.container(key="learn_see"):
        st.caption("Your drawing" if document else "The drawing you begin with")
        st.html(graph_thumbnail.image(graph))
    if document is not None:
        with st.container(key="task_hand_in", border=True):
            _hand_in(task, document, run)


def _hand_in(task: ClassTask, document: Document, run: RunView | None) -> None:
    """Hand in the project with a name and the figures of its run: as a file, or to the class."""
    name = _name()
    words = f"With the figures of {run.name}." if run else "Without a run: none is trained yet."
    st.caption(escape_markdown(words, 120))
    content = b""
    if name:
        figures = figures_of(run) if run else None
        hand_in = HandIn(document.project, name, task.title, figures)
        content = write_hand_in(hand_in).encode()
    if folder := class_folder():
        _to_class(folder, task, name, content)
    else:
        _as_file(name, content)
    if content:
        st.caption(f"Fingerprint {fingerprint(content)}: your teacher sees the same.")


def _name() -> str:
    """Who hands in: the account, where a class is served, or what is typed."""
    if person := account():
        st.caption(f"As {escape_markdown(person, 40)}.")
        return person
    name = st.text_input(
        "Your name", value=state.value(NAME) or "", max_chars=LONGEST_NAME, key="task_name"
    ).strip()
    state.keep(NAME, name)
    return name


def _to_class(folder: Path, task: ClassTask, name: str, content: bytes) -> None:
    pressed = st.button(
        "Hand in",
        icon=":material/assignment_turned_in:",
        type="primary",
        disabled=not content,
        key="task_hand_in_class",
        help="To your teacher. Each hand-in is kept.",
    )
    if not pressed:
        return
    now = datetime.now(UTC)
    stems = paths.stem(task.title) or "task", paths.stem(name) or "hand-in"
    words, hint = quota.files_refusal(paths.workspace(), len(content))
    if words:
        st.error(f"It was not handed in. {words} {hint}", icon=":material/error:")
        return
    try:
        deliver(folder, *stems, content, now)
    except OSError as error:
        st.error(f"It was not handed in: {error.strerror}.", icon=":material/error:")
        return
    st.success(f"Handed in at {now:%H:%M:%S} UTC.", icon=":material/check_circle:")


def _as_file(name: str, content: bytes) -> None:
    st.download_button(
        "Hand in",
        content,
        f"{paths.stem(name) or 'hand-in'}{ENDING}",
        "application/json",
        icon=":material/assignment_turned_in:",
        type="primary",
        disabled=not name,
        on_click="ignore",
        key="task_hand_in_file",
        help="A file for your teacher.",
    )
