"""One step of a lesson: text, task, hints and the way on, as page and panel show it."""

import streamlit as st

from app.markdown import escape_markdown
from app.pages.learn import hints, tasks
from app.pages.learn.text import paragraph
from app.pages.shared import markup, state
from app.services import documents, lessons
from core.lessons import Lesson, Step, progress
from core.lessons.progress import Progress
from core.project import ProjectError

GOES = {
    "build": ("Open the drawing", ":material/account_tree:"),
    "data": ("Open Data", ":material/database:"),
    "train": ("Open Train", ":material/show_chart:"),
    "inside": ("Look inside", ":material/visibility:"),
    "compare": ("Open Compare", ":material/stacked_line_chart:"),
    "export": ("Open Export", ":material/ios_share:"),
}


def show(lesson: Lesson, step: Step, course_progress: Progress, page: str) -> None:
    """Draw a step on the page of that name; note it as done as soon as it is."""
    index = lesson.steps.index(step)
    st.subheader(escape_markdown(step.title, 80), anchor=False)
    st.html(paragraph(step.text))
    if step.go and step.go != page:
        _go(lesson, step, course_progress)
    was = step.name in course_progress.done(lesson)
    now = tasks.ask(lesson, step, course_progress)
    if now and not was and (problem := tasks.note(lesson, step, course_progress)):
        st.error(escape_markdown(problem, 400), icon=":material/error:")
    if not (was or now):
        hints.show(lesson, step, course_progress)
    _on(lesson, index, was or now)


def chosen(lesson: Lesson, course_progress: Progress) -> Step:
    """The step that is shown: the one chosen in this tab, else the first that is not done."""
    known = lesson.step(state.value(step_key(lesson)) or "")
    done = course_progress.done(lesson)
    return known or next((s for s in lesson.steps if s.name not in done), lesson.steps[-1])


def step_key(lesson: Lesson) -> str:
    """Where the tab remembers the step that it shows of a lesson."""
    return f"learn:step:{lesson.name}"


def choose(lesson: Lesson, step: Step) -> None:
    """Show another step, on the whole page."""
    state.keep(step_key(lesson), step.name)
    st.rerun()


def _go(lesson: Lesson, step: Step, course_progress: Progress) -> None:
    words, icon = GOES[step.go]
    if st.button(words, icon=icon, key="learn_go", type="secondary") and open_drawing(
        lesson, course_progress
    ):
        state.go(step.go)


def open_drawing(lesson: Lesson, course_progress: Progress) -> bool:
    """Make the drawing of a lesson that of this tab; say why when it cannot be opened."""
    taken = course_progress.lessons.get(lesson.name)
    if taken is None:
        return begin(lesson)
    if lessons.is_of(taken, state.document()):
        return True
    try:
        state.open_document(documents.restore(taken.project))
    except ProjectError:
        st.warning("The drawing of this lesson is no longer here. Begin the lesson anew, with the "
                   "button below its steps.", icon=":material/account_tree:")  # fmt: skip
        return False
    state.choose_lesson(lesson.name)
    return True


def begin(lesson: Lesson) -> bool:
    """Begin a lesson with a fresh drawing, and open it; say why when that fails."""
    try:
        state.open_document(lessons.begin(lesson))
    except ProjectError as error:
        st.error(escape_markdown(error, 400), icon=":material/error:")
        return False
    state.choose_lesson(lesson.name)
    return True


def _on(lesson: Lesson, index: int, done: bool) -> None:
    """The way on: back and forth between the steps, then to the next lesson."""
    course = lessons.course()
    number = course.index(lesson)
    with st.container(horizontal=True, vertical_alignment="center", key="learn_on"):
        if index and st.button("Back", icon=":material/arrow_back:", key="learn_back"):
            choose(lesson, lesson.steps[index - 1])
        kind = "primary" if done else "secondary"
        if index + 1 < len(lesson.steps):
            if st.button("Next step", icon=":material/arrow_forward:", icon_position="right",
                         type=kind, key="learn_next"):  # fmt: skip
                choose(lesson, lesson.steps[index + 1])
        elif number + 1 < len(course) and st.button(
            escape_markdown(f"Next lesson: {course[number + 1].title}", 80),
            icon=":material/arrow_forward:", icon_position="right", type=kind,
            key="learn_next_lesson",
        ):  # fmt: skip
            state.choose_lesson(course[number + 1].name)
            st.rerun()
    _finished(lesson)


def _finished(lesson: Lesson) -> None:
    course_progress = progress.read_progress()
    if course_progress.is_done(lesson):
        left = len(lessons.course()) - lessons.count_done(course_progress)
        more = f"{left} to go." if left else "That was the last one."
        st.html(f'<p class="ll-end">✓ {markup.escape(f"Lesson done. {more}")}</p>')
