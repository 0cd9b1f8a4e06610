"""The task of a step, checked against torch, the project or the runs."""

import streamlit as st

from app.markdown import escape_markdown
from app.pages.shared import state
from app.process.pool import PoolError
from app.services import paths
from app.wings.lessons import hints
from app.wings.lessons import service as lessons
from app.wings.lessons.text import marked, verdicts, worked
from core.claims.judge import judge, shown
from core.runs import listing
from core.runs.listing import RunView
from core.wings.lessons import Lesson, LessonStep, progress
from core.wings.lessons.goals import GoalResult, met, runs_of
from core.wings.lessons.progress import Progress
from core.wings.lessons.typed_answers import (
    difference,
    not_a_count,
    not_a_shape,
    read_count,
    read_shape,
)

EXAMPLES = {"shape": "such as (N, 8, 14, 14)", "count": "such as 1,024"}
TRIES = 2
"""Wrong answers before the calculation is shown; the first one shows a hint."""


def ask(lesson: Lesson, step: LessonStep, course_progress: Progress) -> bool:
    """Draw the task of a step; return whether it is done by now."""
    done = step.name in course_progress.done(lesson)
    with st.container(key=f"learn_{step.kind}", border=True):
        if step.kind == "predict":
            return _predict(lesson, step, done)
        if step.kind == "look":
            return _look(lesson, step, course_progress)
        return (
            _do(lesson, step, course_progress)
            if step.kind == "do"
            else _train(lesson, step, course_progress)
        )


def _look(lesson: Lesson, step: LessonStep, course_progress: Progress) -> bool:
    if step.name in course_progress.done(lesson):
        _show_done("Done.")
        return True
    if step is not lesson.steps[-1]:
        st.html('<p class="ll-ask">Nothing to answer here: look, then press Next step.</p>')
        return False
    st.html('<p class="ll-ask">Nothing to answer here: look, then finish the lesson.</p>')
    return st.button(
        "Finish",
        icon=":material/check:",
        key="learn_seen",
        type="primary",
        on_click=_seen,
        args=(lesson, step, course_progress),
    )


def _seen(lesson: Lesson, step: LessonStep, course_progress: Progress) -> None:
    note(lesson, step, course_progress)  # drawing the page tries again and reports the failure


def note(lesson: Lesson, step: LessonStep, course_progress: Progress) -> str:
    """Record a step as done; return why that fails, or "". The open project stays open."""
    problem = "" if lesson.name in course_progress.lessons else lessons.keep(lessons.begin, lesson)
    return problem or lessons.keep(progress.note_done, lesson.name, step.name)


def _predict(lesson: Lesson, step: LessonStep, done: bool) -> bool:
    question = step.predict
    assert question is not None  # of this kind
    way = "shape" if question.what == "shape" else "count"
    st.html(f'<p class="ll-ask">{marked(question.ask)}</p>')
    row = st.form(f"learn_form_{step.name}", border=False).container(
        horizontal=True, vertical_alignment="bottom"
    )
    key = f"answer_{lesson.name}_{step.name}"
    typed = row.text_input("Your answer", key=key, placeholder=EXAMPLES[way])
    row.form_submit_button("Check", type="primary", width=120)
    revealed = hints.revealed(lesson, step)
    if not typed and not done and not revealed:
        return False
    try:
        with st.spinner("Checking with torch", show_time=False):
            answer = lessons.answer(lesson.name, step.name)
    except PoolError as error:
        st.error(escape_markdown(error, 400), icon=":material/error:")
        return False
    right: list[int] = answer["right"]
    solution = shown(right) if way == "shape" else f"{right[0]:,}"
    read = read_shape(typed) if way == "shape" else read_count(typed)
    given = read if isinstance(read, list) or read is None else [read]
    if given == right or not typed:
        _show_done(f"Right: {solution}." if given == right else f"Done: {solution}.")
    elif given is None:
        mistake = not_a_shape(typed) if way == "shape" else not_a_count(typed)
        st.warning(escape_markdown(mistake, 300), icon=":material/edit:")
        return done or revealed
    else:
        tries = _count_wrong(lesson, step, given)
        wrong = difference(given, right) if way == "shape" else f"Not {given[0]:,}."
        way_on = _way_on(lesson, step, tries, done or revealed)
        st.warning(escape_markdown(f"{wrong} {way_on}", 300), icon=":material/calculate:")
        if not (done or revealed) and tries < TRIES:
            return False
    _show_calculation(answer)
    return given == right or done or revealed


def _count_wrong(lesson: Lesson, step: LessonStep, given: list[int]) -> int:
    """How many different wrong answers this tab has given to a question, this one included."""
    key = f"learn:wrong:{lesson.name}:{step.name}"
    known: tuple[list[int], ...] = state.value(key) or ()
    known = known if given in known else (*known, given)
    state.keep(key, known)
    return len(known)


def _way_on(lesson: Lesson, step: LessonStep, tries: int, known: bool) -> str:
    """What to do after a wrong answer: read a hint, later the calculation."""
    if known or tries >= TRIES:
        return "Work through the calculation and type the result."
    if not step.hints:
        return "Try once more."
    hints.give_first(lesson, step)
    return "Read the hint below and try again."


def _show_calculation(answer: dict) -> None:
    if answer["formula"]:
        st.latex(answer["formula"])
    st.html(worked(answer["lines"]))


def _do(lesson: Lesson, step: LessonStep, course_progress: Progress) -> bool:
    document = state.document()
    done = step.name in course_progress.done(lesson)
    if document is None or not lessons.is_of(course_progress.lessons.get(lesson.name), document):
        _show_done("Done.") if done else _elsewhere()
        return done
    with st.spinner("Checking the drawing", show_time=False):
        report = document.analysed()
    found_now = [judge(claim, document.project, report) for claim in step.do]
    st.html('<p class="ll-ask">Checked on your drawing:</p>' + verdicts(found_now))
    holds = all(verdict.holds for verdict in found_now)
    if holds or done:
        _show_done("Done." if holds else "Done earlier. Your drawing has changed since.")
    return holds


def _elsewhere() -> None:
    st.html(
        '<p class="ll-ask">Open the drawing of this lesson with the button above. '
        "It is checked as you change it.</p>"
    )


def _train(lesson: Lesson, step: LessonStep, course_progress: Progress) -> bool:
    """Draw the goals; they are checked every two seconds while a run is training."""
    taken, document = course_progress.lessons.get(lesson.name), state.document()
    names = {lesson.title}
    if document is not None and lessons.is_of(taken, document):
        names.add(document.project.name)
    done = step.name in course_progress.done(lesson)
    since_s = taken.since_s if taken else float("inf")
    views = _views(names, since_s)
    goes_on = any(view.state in listing.ALIVE for view in views)
    if not goes_on or done:
        return _show_goals(step, views, done)
    st.fragment(_watch, run_every=2.0)(step, names, since_s)
    return False


def _views(names: set[str], since_s: float) -> list[RunView]:
    return runs_of(listing.list_runs(paths.runs_dir()), names, since_s)


def _watch(step: LessonStep, names: set[str], since_s: float) -> None:
    views = _views(names, since_s)
    if _show_goals(step, views, False) or not any(view.state in listing.ALIVE for view in views):
        st.rerun()
    st.caption("A run is training. The goals are checked every two seconds.")


def _show_goals(step: LessonStep, views: list[RunView], done: bool) -> bool:
    """Show the goals with their progress; return whether all are reached."""
    reached = [met(goal, views) for goal in step.train]
    words = verdicts(goal.verdict for goal in reached)
    st.html(f'<p class="ll-ask">Checked on your runs:</p>{words}')
    holds = all(goal.verdict.holds for goal in reached)
    if holds or done:
        _show_done("Done." if holds else "Done earlier.")
    _compare(reached)
    return holds


def _compare(reached: list[GoalResult]) -> None:
    if any(len(goal.runs) > 1 for goal in reached):
        icon, way = ":material/stacked_line_chart:", state.address()
        st.page_link(state.page("compare"), label="Open Compare", icon=icon, query_params=way)


def _show_done(words: str) -> None:
    st.html(f'<p class="ll-right"><i aria-hidden="true">✓</i>{marked(words)}</p>')
