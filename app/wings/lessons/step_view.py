"""One step of a lesson: text, task, hints and the way on, as page and panel show it."""

import streamlit as st

from app.markdown import escape_markdown
from app.pages.shared import markup, state
from app.services import documents
from app.wings.lessons import hints, tasks
from app.wings.lessons import service as lessons
from app.wings.lessons.text import paragraph
from core.project import ProjectError
from core.wings.lessons import Lesson, LessonStep, progress
from core.wings.lessons.progress import LessonProgress, Progress

GOES = {
    "build": ("Open the drawing", ":material/account_tree:"),
    "data": ("Open Data", ":material/database:"),
    "train": ("Open Train", ":material/show_chart:"),
    "inside": ("Look inside", ":material/visibility:"),
    "compare": ("Open Compare", ":material/stacked_line_chart:"),
    "export": ("Open Export", ":material/ios_share:"),
}

GONE = (
    "The drawing of this lesson was deleted. To get a new one, press Start this lesson over, "
    "below the list of steps on Learn."
)


def show(lesson: Lesson, step: LessonStep, course_progress: Progress, page: str) -> None:
    """Draw a step on the page of that name; note it as done as soon as it is."""
    index = lesson.steps.index(step)
    st.subheader(escape_markdown(step.title, 80), anchor=False)
    st.html(paragraph(step.text))
    if step.go and page not in _there(step):
        _go(lesson, step, course_progress)
    was = step.name in course_progress.done(lesson)
    now = tasks.ask(lesson, step, course_progress)
    if now and not was and (problem := tasks.note(lesson, step, course_progress)):
        st.error(escape_markdown(problem, 400), icon=":material/error:")
    if not (was or now):
        hints.show(lesson, step, course_progress)
    _on(lesson, index, was or now)


def _there(step: LessonStep) -> tuple[str, ...]:
    """Pages on which a step can be done: Build, too, has a button Train."""
    trains = step.kind == "train" and not step.solution.training
    return (step.go, "build") if trains else (step.go,)


def current_step(lesson: Lesson, course_progress: Progress) -> LessonStep:
    """The step to show: the one chosen in this tab, else the first that is not done."""
    known = lesson.step(state.value(step_key(lesson)) or "")
    done = course_progress.done(lesson)
    return known or next((s for s in lesson.steps if s.name not in done), lesson.steps[-1])


def step_key(lesson: Lesson) -> str:
    """The key in the tab's state of the step shown of a lesson."""
    return f"learn:step:{lesson.name}"


def choose(lesson: Lesson, step: LessonStep) -> None:
    """Show another step, on the whole page."""
    state.keep(step_key(lesson), step.name)
    st.rerun()


def _go(lesson: Lesson, step: LessonStep, course_progress: Progress) -> None:
    words, icon = GOES[step.go]
    if st.button(words, icon=icon, key="learn_go", type="secondary") and open_drawing(
        lesson, course_progress
    ):
        state.go(step.go)


def open_drawing(lesson: Lesson, course_progress: Progress) -> bool:
    """Open the drawing of a lesson in this tab, or show why it cannot be opened."""
    taken = course_progress.lessons.get(lesson.name)
    if taken is None:
        return begin(lesson)
    if problem := _restore(lesson, taken):
        st.warning(problem, icon=":material/account_tree:")
    return not problem


def open_lesson(lesson: Lesson, course_progress: Progress) -> None:
    """Start or resume a lesson: open its drawing at the first step that is not done."""
    state.take(step_key(lesson))
    taken = course_progress.lessons.get(lesson.name)
    if taken and (problem := _restore(lesson, taken)):
        state.choose_lesson(lesson.name)
        state.say("warning", problem)
        state.go("learn")
    elif taken or begin(lesson):
        state.go(current_step(lesson, course_progress).go or "build")


def _restore(lesson: Lesson, taken: LessonProgress) -> str:
    """Open the drawing of a started lesson; return why it cannot be opened, or ""."""
    if not lessons.is_of(taken, state.document()):
        try:
            state.open_document(documents.restore(taken.project))
        except ProjectError:
            return GONE
    state.choose_lesson(lesson.name)
    return ""


def begin(lesson: Lesson) -> bool:
    """Start a lesson with a new drawing and open it, or show why that fails."""
    try:
        state.open_document(lessons.begin(lesson))
    except ProjectError as error:
        st.error(escape_markdown(error, 400), icon=":material/error:")
        return False
    state.choose_lesson(lesson.name)
    return True


def _on(lesson: Lesson, index: int, done: bool) -> None:
    """Draw the buttons to the previous and next step and to the next lesson."""
    course = lessons.course()
    number = course.index(lesson)
    with st.container(horizontal=True, vertical_alignment="center", key="learn_on"):
        if index and st.button("Back", icon=":material/arrow_back:", key="learn_back"):
            choose(lesson, lesson.steps[index - 1])
        kind = "primary" if done else "secondary"
        if index + 1 < len(lesson.steps):
            kind = "primary" if lesson.steps[index].kind == "look" else kind
            # Noted before the page is drawn: a second press would break the drawing off.
            if st.button(
                "Next step",
                icon=":material/arrow_forward:",
                icon_position="right",
                type=kind,
                key="learn_next",
                on_click=_leave,
                args=(lesson, index),
            ):
                st.rerun()
        elif number + 1 < len(course) and st.button(
            escape_markdown(f"Next lesson: {course[number + 1].title}", 80),
            icon=":material/arrow_forward:",
            icon_position="right",
            type=kind,
            key="learn_next_lesson",
        ):
            open_lesson(course[number + 1], progress.read_progress())
    _finished(lesson)


def _leave(lesson: Lesson, index: int) -> None:
    """Show the next step; a step of the kind "look" is then done."""
    if lesson.steps[index].kind == "look":
        tasks.note(lesson, lesson.steps[index], progress.read_progress())
    state.keep(step_key(lesson), lesson.steps[index + 1].name)


def _finished(lesson: Lesson) -> None:
    course_progress = progress.read_progress()
    if course_progress.is_done(lesson):
        left = len(lessons.course()) - lessons.count_done(course_progress)
        more = f"{left} lesson{'s' * (left != 1)} to go." if left else "That was the last lesson."
        st.html(f'<p class="ll-end">✓ {markup.escape(f"Lesson done. {more}")}</p>')
