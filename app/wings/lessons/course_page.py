"""The lessons on the Learn page: the course with the student's progress, or the current lesson."""

import streamlit as st

from app.markdown import escape_markdown
from app.pages.shared import graph_thumbnail, markup, state
from app.wings.lessons import class_view, lesson_view, step_view
from app.wings.lessons import service as lessons
from core.project import ProjectError
from core.wings.lessons import Lesson, progress
from core.wings.lessons.progress import Progress

LEAD = (
    "Short lessons, from one neuron to attention. You predict, draw and train; torch checks what "
    "you do. Each lesson has its own drawing, so you cannot break anything."
)


def whole_page() -> bool:
    """Draw the lesson or the class that is chosen, which fill the page; False where none is."""
    lesson_view.style()
    course_progress = progress.read_progress()
    if course_progress.problem:
        st.warning(escape_markdown(course_progress.problem, 500), icon=":material/warning:")
    name = state.lesson()
    try:
        lesson = lessons.find(name) if name else None
    except ProjectError as error:
        state.choose_lesson(None)
        st.error(escape_markdown(error, 300), icon=":material/error:")
        lesson = None
    if lesson is not None:
        lesson_view.show(lesson, course_progress)
    elif state.value(class_view.SHOWN):
        class_view.show()
    else:
        return False
    return True


def show() -> None:
    """Draw the course with the student's progress."""
    course_progress = progress.read_progress()
    course = lessons.course()
    done = lessons.count_done(course_progress)
    with st.container(key="learn_lead"):
        markup.prose(LEAD)
    st.html(_bar(done, len(course)))
    with st.container(horizontal=True, vertical_alignment="center"):
        _go_on(course_progress, lessons.next_of(course_progress), done)
        if course_progress.lessons:
            _anew()
            _hand_in(course_progress)
        if progress.sees_class():
            _for_teachers()
    with st.container(key="lessons"):
        for number, lesson in enumerate(course, 1):
            _card(number, lesson, course_progress)


def _for_teachers() -> None:
    if st.button("For teachers", icon=":material/groups:", type="tertiary", key="learn_class"):
        state.keep(class_view.SHOWN, True)
        st.rerun()


def _bar(done: int, of: int) -> str:
    """How many lessons are done, in words over a bar."""
    width = round(100 * done / of)
    return (
        f'<p class="ll-done">{done} of {of} lessons done</p>'
        f'<div class="ll-course" aria-hidden="true"><i style="width: {width}%"></i></div>'
    )


def _go_on(course_progress: Progress, lesson: Lesson, done: int) -> None:
    if done == len(lessons.course()):
        st.markdown("You have done all lessons.")
        return
    verb = "Continue" if course_progress.lessons else "Start"
    words = escape_markdown(f"{verb}: {lesson.title}", 80)
    if st.button(words, type="primary", icon=":material/play_arrow:", key="learn_go_on"):
        _open(lesson)


def _anew() -> None:
    with st.popover("Start over", icon=":material/restart_alt:"):
        st.markdown("Clear your progress in all lessons? Your drawings and runs are kept.")
        if st.button("Clear my progress", key="learn_forget"):
            problem = lessons.keep(progress.forget)
            if problem:
                st.error(escape_markdown(problem, 300), icon=":material/error:")
            else:
                st.rerun()


def _hand_in(course_progress: Progress) -> None:
    if progress.class_folder() is None:  # else the teacher sees it anyway
        st.download_button(
            "Hand in",
            progress.text_of(course_progress.lessons),
            f"{progress.student()}.json",
            "application/json",
            icon=":material/assignment_turned_in:",
            type="tertiary",
            on_click="ignore",
            key="learn_hand_in",
            help="Your progress as a file, for your teacher.",
        )


def _card(number: int, lesson: Lesson, course_progress: Progress) -> None:
    with st.container(key=f"card_lesson_{lesson.name}"):
        st.html(graph_thumbnail.svg_image(lessons.picture(lesson.name)))
        if st.button(
            escape_markdown(f"{number}. {lesson.title}", 80),
            key=f"lesson_{lesson.name}",
            type="tertiary",
        ):
            _open(lesson)
        st.caption(escape_markdown(lesson.see, 200))
        st.html(_standing(lesson, course_progress))


def _standing(lesson: Lesson, course_progress: Progress) -> str:
    """How far a lesson is done, and how long it takes."""
    minutes = f"{lesson.minutes} minutes"
    if course_progress.is_done(lesson):
        text, kind = f"✓ Done · {minutes}", "done"
    elif lesson.name in course_progress.lessons:
        done, of = len(course_progress.done(lesson)), len(lesson.steps)
        text, kind = f"{done} of {of} steps · {minutes}", "begun"
    else:
        text, kind = f"{len(lesson.steps)} steps · {minutes}", "new"
    return f'<small class="ll-small ll-{kind}">{markup.escape(text)}</small>'


def _open(lesson: Lesson) -> None:
    """Open a lesson at its first step that is not done, beside its drawing."""
    step_view.open_lesson(lesson, progress.read_progress())
