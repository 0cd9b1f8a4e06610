"""One lesson: its steps on the left, the chosen one on the right."""

from pathlib import Path

import streamlit as st

from app.markdown import escape_markdown
from app.pages.learn import lesson_view, tasks
from app.pages.learn.text import paragraph
from app.pages.shared import graph_thumbnail, markup, state
from app.services import documents, lessons
from core.lessons import Lesson, Step, progress
from core.lessons.progress import Progress
from core.project import ProjectError

_STYLE = Path(__file__).parents[2] / "theme" / "learn.css"
MARKS = {"done": ":material/check_circle:", "now": ":material/radio_button_checked:",
         "open": ":material/radio_button_unchecked:"}  # fmt: skip
GOES = {
    "build": ("Open the drawing", ":material/account_tree:"),
    "data": ("Open Data", ":material/database:"),
    "train": ("Open Train", ":material/show_chart:"),
    "inside": ("Look inside", ":material/visibility:"),
    "compare": ("Open Compare", ":material/stacked_line_chart:"),
    "export": ("Open Export", ":material/ios_share:"),
}


def style() -> None:
    """Bring in the style of this page and of the line over the others."""
    st.html(_STYLE)


def show(lesson: Lesson, course_progress: Progress) -> None:
    """Draw a lesson; the first step that is not done is chosen, unless another one was."""
    step = chosen(lesson, course_progress)
    state.keep(step_key(lesson), step.name)  # which is then shown until another is chosen
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
    left, right = st.columns([4, 9], gap="large")
    # The right side first: a step done just now is then marked on the left.
    with right, st.container(key="learn_step"):
        _step(lesson, step, course_progress)
    with left, st.container(key="learn_steps"):
        _steps(lesson, step, progress.read_progress())
    markup.scroll_to_top(f"{lesson.name}.{step.name}", key="learn_top")


def chosen(lesson: Lesson, course_progress: Progress) -> Step:
    """The step that is shown: the one chosen in this tab, else the first that is not done."""
    known = lesson.step(state.value(step_key(lesson)) or "")
    done = course_progress.done(lesson)
    return known or next((s for s in lesson.steps if s.name not in done), lesson.steps[-1])


def step_key(lesson: Lesson) -> str:
    """Where the tab remembers the step that it shows of a lesson."""
    return f"learn:step:{lesson.name}"


def _choose(lesson: Lesson, step: Step) -> None:
    state.keep(step_key(lesson), step.name)
    st.rerun()


def _steps(lesson: Lesson, now: Step, course_progress: Progress) -> None:
    done = course_progress.done(lesson)
    with st.container(key="learn_list", gap="xxsmall"):
        for number, step in enumerate(lesson.steps, 1):
            mark = "done" if step.name in done else "now" if step == now else "open"
            kind = "secondary" if step == now else "tertiary"
            words = f"{number}. {step.title}{' · done' if mark == 'done' else ''}"
            if st.button(escape_markdown(words, 80), icon=MARKS[mark], type=kind,
                         key=f"step_{step.name}", width="stretch"):  # fmt: skip
                _choose(lesson, step)
    document, taken = state.document(), course_progress.lessons.get(lesson.name)
    mine = document if lessons.is_of(taken, document) else None
    st.html(graph_thumbnail.image((mine.project if mine else lessons.drawing(lesson.name)).graph))
    if taken is not None:
        with st.popover("Begin this lesson anew", icon=":material/restart_alt:"):
            st.markdown("Take a fresh drawing, with no step done? Your drawing and runs stay.")
            if st.button("Begin anew", key="learn_anew") and _begun(lesson):
                state.keep(step_key(lesson), lesson.steps[0].name)
                st.rerun()


def _step(lesson: Lesson, step: Step, course_progress: Progress) -> None:
    index = lesson.steps.index(step)
    st.subheader(escape_markdown(step.title, 80))
    st.html(paragraph(step.text))
    if step.go:
        _go(lesson, step, course_progress)
    was = step.name in course_progress.done(lesson)
    now = tasks.ask(lesson, step, course_progress)
    if now and not was and (problem := tasks.note(lesson, step, course_progress)):
        st.error(escape_markdown(problem, 400), icon=":material/error:")
    _on(lesson, index, was or now)


def _go(lesson: Lesson, step: Step, course_progress: Progress) -> None:
    words, icon = GOES[step.go]
    if st.button(words, icon=icon, key="learn_go", type="secondary") and _opened(
        lesson, course_progress
    ):
        state.go(step.go)


def _opened(lesson: Lesson, course_progress: Progress) -> bool:
    """Make the drawing of a lesson that of this tab; say why when it cannot be opened."""
    taken = course_progress.lessons.get(lesson.name)
    if taken is None:
        return _begun(lesson)
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


def _begun(lesson: Lesson) -> bool:
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
            _choose(lesson, lesson.steps[index - 1])
        kind = "primary" if done else "secondary"
        if index + 1 < len(lesson.steps):
            if st.button("Next step", icon=":material/arrow_forward:", icon_position="right",
                         type=kind, key="learn_next"):  # fmt: skip
                _choose(lesson, lesson.steps[index + 1])
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


def show_notice() -> None:
    """Say which step is at hand, where the open drawing is that of the chosen lesson."""
    with st.container(key="learn_line"):
        name = state.lesson()
        if name is None:
            return
        course_progress = progress.read_progress()
        if not lessons.is_of(course_progress.lessons.get(name), state.document()):
            return
        lesson = lessons.find(name)
        step = lesson_view.chosen(lesson, course_progress)
        lesson_view.style()
        with st.container(key="learn_said", horizontal=True, vertical_alignment="center"):
            html = f"<b>{markup.escape(lesson.title)}</b> · {markup.escape(step.title)}"
            st.html(f'<p class="ll-said">{html}</p>', width="stretch")
            with st.popover("What to do", type="tertiary", key="learn_what"):
                st.html(paragraph(step.text))
            st.page_link(state.page("learn"), label="Back to the lesson",
                         icon=":material/school:", query_params=state.address())  # fmt: skip
