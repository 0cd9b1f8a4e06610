"""The task of a step, checked against torch, the project or the runs."""

import streamlit as st

from app.markdown import escape_markdown
from app.pages.learn import hints
from app.pages.learn.text import marked, verdicts, worked
from app.pages.shared import state
from app.process.pool import PoolError
from app.services import lessons, paths
from core.lessons import Lesson, Step, progress
from core.lessons.claims import judge, shown
from core.lessons.goals import GoalResult, met, runs_of
from core.lessons.progress import Progress
from core.lessons.typed import difference, read_count, read_shape
from core.runs import listing
from core.runs.listing import RunView

WAYS = {
    "shape": ("A shape, such as (N, 8, 14, 14)", "That is no shape. Write it as (N, 8, 14, 14)."),
    "count": ("A whole number, such as 1,024", "That is no whole number. Write it as 1024."),
}


def ask(lesson: Lesson, step: Step, course_progress: Progress) -> bool:
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


def _look(lesson: Lesson, step: Step, course_progress: Progress) -> bool:
    if step.name in course_progress.done(lesson):
        _show_done("Done.")
        return True
    st.html('<p class="ll-ask">Nothing to type here: look, then go on.</p>')
    # Noted before the page is drawn: a fast "Next step" would break a drawing off, and the note.
    return st.button("I have seen it", icon=":material/check:", key="learn_seen",
                     on_click=_seen, args=(lesson, step, course_progress))  # fmt: skip


def _seen(lesson: Lesson, step: Step, course_progress: Progress) -> None:
    note(lesson, step, course_progress)  # what hinders is told by the drawing, which tries again


def note(lesson: Lesson, step: Step, course_progress: Progress) -> str:
    """Note a step as done; return what hinders. The open project stays, where a lesson begins."""
    problem = "" if lesson.name in course_progress.lessons else lessons.keep(lessons.begin, lesson)
    return problem or lessons.keep(progress.note_done, lesson.name, step.name)


def _predict(lesson: Lesson, step: Step, done: bool) -> bool:
    asked = step.predict
    assert asked is not None  # of this kind
    way = "shape" if asked.what == "shape" else "count"
    st.html(f'<p class="ll-ask">{marked(asked.ask)}</p>')
    row = st.form(f"learn_form_{step.name}", border=False).container(
        horizontal=True, vertical_alignment="bottom"
    )
    key = f"answer_{lesson.name}_{step.name}"
    typed = row.text_input("Your answer", key=key, placeholder=WAYS[way][0])
    row.form_submit_button("Check", type="primary", width=120)
    revealed = hints.revealed(lesson, step)
    if not typed and not done and not revealed:
        return False
    try:
        with st.spinner("Asking torch", show_time=False):
            answer = lessons.answer(lesson.name, step.name)
    except PoolError as error:
        st.error(escape_markdown(error, 400), icon=":material/error:")
        return False
    right: list[int] = answer["right"]
    solution = shown(right) if way == "shape" else f"{right[0]:,}"
    return _judged(typed, way, right, solution, answer, done or revealed)


def _judged(
    answered: str, way: str, right: list[int], solution: str, answer: dict, done: bool
) -> bool:
    """Compare an answer with torch's, and show the calculation. done: or told by the last hint."""
    read = read_shape(answered) if way == "shape" else read_count(answered)
    typed = read if isinstance(read, list) or read is None else [read]
    correct = typed == right
    if correct or not answered:
        _show_done(f"Right: {solution}." if correct else f"Done: {solution}.")
    elif typed is None:
        st.warning(WAYS[way][1], icon=":material/edit:")
        return False
    else:
        wrong = difference(typed, right) if way == "shape" else f"{typed[0]:,} is not right."
        st.warning(escape_markdown(f"{wrong} Follow it through, then type what comes out.", 300),
                   icon=":material/calculate:")  # fmt: skip
    if answer["formula"]:
        st.latex(answer["formula"])
    st.html(worked(answer["lines"]))
    return correct or done


def _do(lesson: Lesson, step: Step, course_progress: Progress) -> bool:
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
        _show_done("Done." if holds else "Done before; your drawing is another by now.")
    return holds


def _elsewhere() -> None:
    st.html('<p class="ll-ask">Open the drawing of this lesson with the button above. '
            "Come back here, and it is checked.</p>")  # fmt: skip


def _train(lesson: Lesson, step: Step, course_progress: Progress) -> bool:
    """Draw the goals; while a run is under way they are looked at again every two seconds."""
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


def _watch(step: Step, names: set[str], since_s: float) -> None:
    views = _views(names, since_s)
    if _show_goals(step, views, False) or not any(view.state in listing.ALIVE for view in views):
        st.rerun()
    st.caption("A run is under way: this is checked again as it goes.")


def _show_goals(step: Step, views: list[RunView], done: bool) -> bool:
    """Show the goals with their progress; return whether all are reached."""
    reached = [met(goal, views) for goal in step.train]
    words = verdicts(goal.verdict for goal in reached)
    st.html(f'<p class="ll-ask">Checked on your runs:</p>{words}')
    holds = all(goal.verdict.holds for goal in reached)
    if holds or done:
        _show_done("Done." if holds else "Done before.")
    _compare(reached)
    return holds


def _compare(reached: list[GoalResult]) -> None:
    if any(len(goal.runs) > 1 for goal in reached):
        icon, way = ":material/stacked_line_chart:", state.address()
        st.page_link(state.page("compare"), label="Open Compare", icon=icon, query_params=way)


def _show_done(words: str) -> None:
    st.html(f'<p class="ll-right"><i aria-hidden="true">✓</i>{marked(words)}</p>')
