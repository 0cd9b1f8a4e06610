"""The lesson beside the drawing: a panel over the pages of the project that a lesson is on."""

import streamlit as st

from app.pages.learn import lesson_view, step_view
from app.pages.shared import markup, state
from app.services import lessons
from core.lessons import Lesson, progress
from core.lessons.progress import Progress

# The canvas tells when an edit was checked; it went to Python beside the page's script.
_checked = st.components.v2.component(  # pyright: ignore[reportAttributeAccessIssue]
    "layerloom_checked",
    js="""
let tell;
addEventListener("layerloom:checked", () => tell?.());
export default ({ setTriggerValue }) => {
  const mine = () => setTriggerValue("checked", true);
  tell = mine;
  return () => { if (tell === mine) tell = undefined; };
};
""",
)


def show(page: str) -> None:
    """Show the lesson at hand on the page of that name, where the open drawing is the lesson's.

    The container is there without a lesson, too: what stands below it then keeps its place.
    """
    with st.container(key="lesson_slot"):
        lesson = _at_hand()
        if lesson is None:
            return
        lesson_view.style()
        st.fragment(_panel)(lesson, page)


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


def _panel(lesson: Lesson, page: str) -> None:
    course_progress = progress.read_progress()
    step = step_view.chosen(lesson, course_progress)
    state.keep(step_view.step_key(lesson), step.name)  # stays, when it is done, until "Next step"
    with st.container(key="lesson_panel", gap="small"):
        head = st.empty()  # drawn last: a step done just now is then marked
        step_view.show(lesson, step, course_progress, page)
        st.page_link(state.page("learn"), label="All steps", icon=":material/school:",
                     query_params=state.address())  # fmt: skip
        head.html(_head(lesson, step.name, progress.read_progress()))
    if step.kind == "do":
        with st.container(key="lesson_checked"):
            _checked(key="lesson_hears", on_checked_change=_heard)


def _heard() -> None:
    """The panel is drawn again, on the drawing as it is by now."""


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
