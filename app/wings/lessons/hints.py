"""Hints of a step: one more at each press, and then the answer."""

import streamlit as st

from app.markdown import escape_markdown
from app.pages.shared import state
from app.services.document import Document
from app.wings.lessons import service as lessons
from app.wings.lessons.text import marked
from core.project import ProjectError
from core.wings.lessons import Lesson, LessonStep
from core.wings.lessons.drawing import solve_step
from core.wings.lessons.progress import Progress


def show(lesson: Lesson, step: LessonStep, course_progress: Progress) -> None:
    """Draw the hints so far, and the button for the next."""
    key = _count_key(lesson, step)
    count = min(state.value(key) or 0, len(step.hints))
    if count:
        rows = "".join(f"<li>{marked(hint)}</li>" for hint in step.hints[:count])
        st.html(f'<ol class="ll-hints">{rows}</ol>')
    if count < len(step.hints):
        words = f"Hint {count + 1} of {len(step.hints)}"
        st.button(
            words,
            icon=":material/lightbulb:",
            key="learn_hint",
            type="tertiary",
            on_click=state.keep,
            args=(key, count + 1),
        )
    else:
        _answer(lesson, step, course_progress)


def give_first(lesson: Lesson, step: LessonStep) -> None:
    """Show the first hint, after the first wrong answer."""
    state.keep(_count_key(lesson, step), max(1, state.value(_count_key(lesson, step)) or 0))


def _count_key(lesson: Lesson, step: LessonStep) -> str:
    return f"learn:hints:{lesson.name}:{step.name}"


def revealed(lesson: Lesson, step: LessonStep) -> bool:
    """Whether the student has requested the answer in this tab."""
    return bool(state.value(_answer_key(lesson, step)))


def _answer_key(lesson: Lesson, step: LessonStep) -> str:
    return f"learn:answer:{lesson.name}:{step.name}"


def _answer(lesson: Lesson, step: LessonStep, course_progress: Progress) -> None:
    """Draw the button for the answer, or for making the change in the student's drawing."""
    if step.predict and not revealed(lesson, step):
        st.button(
            "Show the answer",
            icon=":material/key:",
            key="learn_answer",
            type="tertiary",
            on_click=state.keep,
            args=(_answer_key(lesson, step), True),
        )
    document = state.document()
    if not step.solution or document is None:
        return
    mine = lessons.is_of(course_progress.lessons.get(lesson.name), document)
    if mine and st.button(
        "Do it for me", icon=":material/key:", key="learn_answer", type="tertiary"
    ):
        _carry_out(step, document)


def _carry_out(step: LessonStep, document: Document) -> None:
    try:
        solved = solve_step(document.project, step.solution)
    except ProjectError as error:
        st.warning(escape_markdown(error, 400), icon=":material/edit:")
        return
    document.replace(solved)
    st.rerun()
