"""The current step of a lesson: a panel on the pages of the project."""

from dataclasses import asdict

import streamlit as st

from app.pages.shared import markup, state
from app.wings.lessons import hints, lesson_view, step_view
from app.wings.lessons import service as lessons
from core.wings.lessons import Lesson, LessonStep, progress
from core.wings.lessons.focus import focus
from core.wings.lessons.progress import Progress

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

# What the canvas marks, hides and folds for the step. When the panel is redrawn, the old one goes
# first: only a panel that stays away is over.
_focus = st.components.v2.component(  # pyright: ignore[reportAttributeAccessIssue]
    "layerloom_lesson",
    js="""
const AWAY_MS = 400;
const tell = (focus) => {
  globalThis.layerloomLesson = focus;
  dispatchEvent(new Event("layerloom:lesson"));
};
export default ({ data }) => {
  const mine = data;
  tell(mine);
  return () => setTimeout(() => { if (globalThis.layerloomLesson === mine) tell(null); }, AWAY_MS);
};
""",
)


def show(page: str) -> None:
    """Show the current lesson on the page of that name, if the open drawing belongs to it.

    The container is there without a lesson, too, so that the elements below keep their order.
    """
    with st.container(key="lesson_slot"):
        lesson = _current_lesson()
        if lesson is None:
            return
        lesson_view.style()
        st.fragment(_panel)(lesson, page)


def _current_lesson() -> Lesson | None:
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
    step = _step(lesson, course_progress, page)
    state.keep(step_view.step_key(lesson), step.name)  # stays, when it is done, until "Next step"
    with st.container(key="lesson_panel", gap="small"):
        head = st.empty()  # drawn last: a step done just now is then marked
        step_view.show(lesson, step, course_progress, page)
        st.page_link(
            state.page("learn"),
            label="All steps",
            icon=":material/school:",
            query_params=state.address(),
        )
        head.html(_head(lesson, step.name, progress.read_progress()))
    with st.container(key="lesson_checked"):
        if page == "build":
            _focus(key="lesson_focus", data=_focus_of(lesson, step))
        if step.kind == "do":
            _checked(key="lesson_hears", on_checked_change=_heard)


def _step(lesson: Lesson, course_progress: Progress, page: str) -> LessonStep:
    """The step to show; opening the page of the next step, once this one is done, starts that."""
    step = step_view.current_step(lesson, course_progress)
    came = page != state.take(f"learn:page:{lesson.name}")
    state.keep(f"learn:page:{lesson.name}", page)
    index = lesson.steps.index(step) + 1
    done = step.name in course_progress.done(lesson)
    if (
        came
        and done
        and step.go != page
        and lesson.steps[index:]
        and lesson.steps[index].go == page
    ):
        return lesson.steps[index]
    return step


def _focus_of(lesson: Lesson, step: LessonStep) -> dict[str, object]:
    """The marks and hidden parts of the canvas for a step, as JSON; a revealed answer is shown."""
    answered = {each.name for each in lesson.steps if hints.revealed(lesson, each)}
    answered.update(progress.read_progress().done(lesson))
    return {"step": f"{lesson.name} {step.name}", **asdict(focus(lesson, step, answered))}


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
