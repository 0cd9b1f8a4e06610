"""The lesson beside the drawing: a panel over the pages of the project that a lesson is on."""

import streamlit as st

from app.pages.learn import lesson_view, step_view
from app.pages.shared import markup, state
from app.services import lessons
from core.lessons import Lesson, progress
from core.lessons.progress import Progress

CHECKED_EVERY_S = 1.5


def show(page: str) -> None:
    """Show the lesson at hand on the page of that name, where the open drawing is the lesson's.

    The container is there without a lesson, too: what stands below it then keeps its place.
    """
    with st.container(key="lesson_slot"):
        lesson = _at_hand()
        if lesson is None:
            return
        lesson_view.style()
        waits = _waits_for_the_drawing(lesson, progress.read_progress())
        every = CHECKED_EVERY_S if waits else None
        st.fragment(_panel, run_every=every)(lesson, page)


def _at_hand() -> Lesson | None:
    name, document = state.lesson(), state.document()
    if name is None or document is None:
        return None
    taken = progress.read_progress().lessons.get(name)
    if taken is None or not lessons.is_of(taken, document):
        return None
    lesson = lessons.find(name)
    lessons.follow(lesson, taken, document)
    return lesson


def _waits_for_the_drawing(lesson: Lesson, course_progress: Progress) -> bool:
    """Whether the step that is shown is done by drawing, and is not done yet."""
    step = step_view.chosen(lesson, course_progress)
    return step.kind == "do" and step.name not in course_progress.done(lesson)


def _panel(lesson: Lesson, page: str) -> None:
    course_progress = progress.read_progress()
    step = step_view.chosen(lesson, course_progress)
    state.keep(step_view.step_key(lesson), step.name)  # stays, when it is done, until "Next step"
    waited = _waits_for_the_drawing(lesson, course_progress)
    with st.container(key="lesson_panel", gap="small"):
        head = st.empty()  # drawn last: a step done just now is then marked
        step_view.show(lesson, step, course_progress, page)
        st.page_link(state.page("learn"), label="All steps", icon=":material/school:",
                     query_params=state.address())  # fmt: skip
        after = progress.read_progress()
        head.html(_head(lesson, step.name, after))
    if waited and not _waits_for_the_drawing(lesson, after):
        st.rerun()  # the panel need not look again and again


def _head(lesson: Lesson, shown: str, course_progress: Progress) -> str:
    """The title, and a mark for each step: done, shown or still to come."""
    done = course_progress.done(lesson)
    marks = "".join(_mark(step.name in done, step.name == shown) for step in lesson.steps)
    number = [step.name for step in lesson.steps].index(shown) + 1
    words = f"Step {number} of {len(lesson.steps)}, {len(done)} done"
    return (
        f'<div class="ll-lesson-head"><b>{markup.escape(lesson.title)}</b>'
        f'<span>{words}</span><i class="ll-marks" aria-hidden="true">{marks}</i></div>'
    )


def _mark(done: bool, shown: bool) -> str:
    kind = " ".join(word for word, true in (("done", done), ("shown", shown)) if true)
    return f'<u class="{kind}">{"✓" if done else ""}</u>'
