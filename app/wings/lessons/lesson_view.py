"""One lesson: its steps on the left, the chosen one on the right."""

from pathlib import Path

import streamlit as st

from app.markdown import escape_markdown
from app.pages.shared import graph_thumbnail, markup, state
from app.wings.lessons import service as lessons
from app.wings.lessons import step_view
from core.wings.lessons import Lesson, LessonStep, progress
from core.wings.lessons.progress import Progress

_STYLE = Path(__file__).parents[2] / "theme" / "learn.css"
MARKS = {
    "done": ":material/check_circle:",
    "now": ":material/radio_button_checked:",
    "open": ":material/radio_button_unchecked:",
}


def style() -> None:
    """Bring in the style of this page and of the line over the others."""
    st.html(_STYLE)


def show(lesson: Lesson, course_progress: Progress) -> None:
    """Draw a lesson at the chosen step, or else at the first one that is not done."""
    step = step_view.current_step(lesson, course_progress)
    state.keep(step_view.step_key(lesson), step.name)  # which is then shown until another is chosen
    taken, document = course_progress.lessons.get(lesson.name), state.document()
    if taken is not None and document is not None and lessons.is_of(taken, document):
        lessons.follow(lesson, taken, document)
    number = lessons.course().index(lesson) + 1
    if st.button("All lessons", icon=":material/arrow_back:", type="tertiary", key="learn_all"):
        state.choose_lesson(None)
        st.rerun()
    st.header(escape_markdown(lesson.title, 80))
    st.caption(
        escape_markdown(f"Lesson {number} of {len(lessons.course())} · {lesson.minutes} minutes")
    )
    left, right, beside = st.columns([4, 8, 4], gap="large")
    # The right side first: a step done just now is then marked on the left.
    with right, st.container(key="learn_step"):
        step_view.show(lesson, step, course_progress, "learn")
    with left, st.container(key="learn_steps"):
        _steps(lesson, step, progress.read_progress())
    with beside, st.container(key="learn_see"):
        _see(lesson)
    _drawing(lesson)
    markup.scroll_to_top(f"{lesson.name}.{step.name}", key="learn_top")


def _see(lesson: Lesson) -> None:
    """What the lesson shows, with its picture."""
    st.html(graph_thumbnail.svg_image(lessons.picture(lesson.name)))
    st.markdown(escape_markdown(lesson.see, 300))


def _drawing(lesson: Lesson) -> None:
    """The current drawing, block by block; before the lesson starts, its first drawing."""
    document, taken = state.document(), progress.read_progress().lessons.get(lesson.name)
    mine = document if lessons.is_of(taken, document) else None
    project = mine.project if mine else lessons.drawing(lesson.name)
    with st.container(key="learn_drawing"):
        st.caption("The drawing")
        st.html(graph_thumbnail.wide_image(project.graph))


def _steps(lesson: Lesson, now: LessonStep, course_progress: Progress) -> None:
    done = course_progress.done(lesson)
    with st.container(key="learn_list", gap="xxsmall"):
        for number, step in enumerate(lesson.steps, 1):
            mark = "done" if step.name in done else "now" if step == now else "open"
            kind = "secondary" if step == now else "tertiary"
            words = f"{number}. {step.title}{' · done' if mark == 'done' else ''}"
            if st.button(
                escape_markdown(words, 80),
                icon=MARKS[mark],
                type=kind,
                key=f"step_{step.name}",
                width="stretch",
            ):
                step_view.choose(lesson, step)
    if lesson.name in course_progress.lessons:
        with st.popover("Start this lesson over", icon=":material/restart_alt:"):
            st.markdown(
                "Start again with a new drawing and no steps done? Your current drawing "
                "and your runs are kept."
            )
            if st.button("Start over", key="learn_anew") and step_view.begin(lesson):
                state.keep(step_view.step_key(lesson), lesson.steps[0].name)
                st.rerun()
