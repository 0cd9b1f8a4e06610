"""The Sweep page: settings to search on the left, the trials of a sweep on the right."""

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from app import charts
from app.markdown import escape_markdown
from app.pages.shared import markup, resume_question, state, stop_button, svg_plots
from app.pages.shared.beginning import require_document
from app.pages.shared.page_declaration import Page
from app.services import suggestions, training
from app.services.document import Document
from app.wings.sweep import form, front, space, trial_settings
from app.wings.sweep import service as sweeps
from app.wings.sweep.service import SweepView
from core.common.errors import LayerloomError, SweepError
from core.settings.launcher import Launcher
from core.tasks.metric_labels import metric_words
from core.wings.sweep.counts import among
from core.wings.sweep.objective_text import objective_text
from core.worker import force, launcher_trust, warm_worker

VIEW = "sweep_view"
NEW = (
    "**Choose settings and start.** Each trial trains this project with other settings. It is an "
    "ordinary run: you can compare it with others and look inside.",
    "**Watch the trials.** Each has a curve, and a line through its settings to its result. Drag "
    "along an axis to show only the trials in that range. Stop trials that do not improve.",
    "**Apply the best.** Its settings go into this project; one click undoes that. The sweep "
    "continues when you leave this page; layerloom sweep can continue it in a terminal.",
)


def render() -> None:
    """Draw the page."""
    document = require_document("sweeps")
    warm_worker.warm()
    suggestions.follow(document)
    problem = training.problem(document.project, training.fit(document))
    names = sweeps.names(document)
    name, start = _head(document, names)
    if problem:
        st.warning(escape_markdown(problem, 500), icon=":material/build:")
    left, right = st.columns([5, 9], gap="large")
    with right, st.container(key="sweep_results"):
        view = _looked_at(name) if name else None
        if view:
            _show(document, view)
        elif not name:
            _outlook()
    with left, st.container(key="sweep_form"):
        form.ask(document, problem, start, first=view is None or (view.over and not view.best))


def _head(document: Document, names: Sequence[str]) -> tuple[str | None, DeltaGenerator]:
    """Draw the title and the choice of a sweep; return its name, and where a start belongs."""
    with st.container(horizontal=True, vertical_alignment="center", key="sweep_head"):
        st.header(f"Sweep · {escape_markdown(document.title, 80)}", width="content")
        st.space("stretch")
        if len(names) > 1:
            if state.value(form.CHOSEN) not in names:
                state.keep(form.CHOSEN, names[0])
            st.selectbox("Sweep", names, key=form.CHOSEN, label_visibility="collapsed", width=280)
        st.page_link(
            state.page("train"),
            label="Runs of this project",
            icon=":material/show_chart:",
            query_params=state.address(),
        )
        start = st.container(width="content")
    chosen = state.value(form.CHOSEN)
    return chosen if chosen in names else next(iter(names), None), start


def _looked_at(name: str) -> SweepView | None:
    """A sweep as it stands; None, with the reason on the page, where its files cannot be read."""
    try:
        return sweeps.look(name)
    except SweepError as error:
        st.error(escape_markdown(error, 400), icon=":material/error:")
        return None


def _show(document: Document, view: SweepView) -> None:
    _carry_out(document, view)
    trial_settings.show_undo(document)
    with st.container(horizontal=True, vertical_alignment="center", key="sweep_bar"):
        st.subheader(escape_markdown(view.name, 60), width="content")
        st.space("stretch")
        _buttons(document, view)
    if view.state == "stopping":
        st.caption(f"The sweep {force.ASKED}")
    if view.message:
        st.error(escape_markdown(view.message, 400), icon=":material/error:")
    if view.outcome:
        all_failed = view.failed == len(view.trials)
        show, icon = (st.error, "error") if all_failed else (st.warning, "warning")
        show(escape_markdown(view.outcome, 400), icon=f":material/{icon}:")
    _about(document, view)
    titles = space.titles(document.project, view.keys)
    charts.sweep(view.name, view.state, state.token(), titles, lambda: None, lambda: None, key=VIEW)


def _buttons(document: Document, view: SweepView) -> None:
    if view.state in ("starting", "running", "stopping"):
        stop_button.draw(
            "sweep_stop",
            view.state == "stopping",
            lambda: _try(lambda: sweeps.stop(view.name)),
            "Its trials resume from their last checkpoints.",
        )
    if view.state == "stopped":
        _resume_button(view)
    if view.failed and view.state in ("stopped", "finished"):
        _again_button(view)
    best = view.best
    pressed = st.button(
        "Apply the best",
        type="primary" if best and view.over else "secondary",  # one first button on a page
        icon=":material/trophy:",
        key="sweep_take",
        disabled=best is None,
        help="Apply the settings of the best trial to this project."
        if best
        else "No trial has a result yet.",
    )
    if pressed and best is not None:
        trial_settings.apply(document, view, best)


def _resume_button(view: SweepView) -> None:
    """Draw the button; before trials that would train where this user never did, the question."""
    launcher = sweeps.untrusted_launcher(view)
    if launcher is None:
        if st.button("Resume", icon=":material/resume:", key="sweep_on"):
            _try(lambda: sweeps.go_on(view.name))
        return
    resume_question.draw(
        "sweep",
        f"Each trial of **{escape_markdown(view.name, 60)}**",
        launcher,
        lambda: _try(lambda: sweeps.go_on(view.name, here=True)),
        lambda: _try(lambda: _go_on_there(view.name, launcher)),
    )


def _go_on_there(name: str, launcher: Launcher) -> None:
    launcher_trust.trust(launcher)
    sweeps.go_on(name)


def _again_button(view: SweepView) -> None:
    """Draw the button for the trials that failed; not where this user has not chosen to train."""
    untrusted = sweeps.untrusted_launcher(view) is not None
    pressed = st.button(
        "Try the failed again",
        icon=":material/replay:",
        key="sweep_again",
        disabled=untrusted,
        help="Resume the sweep in a terminal first: it trains where you have not trained yet."
        if untrusted
        else "Train each trial that failed once more, with the same settings.",
    )
    if pressed:
        _try(lambda: sweeps.go_on(view.name, again=True))


def _try(action) -> None:
    try:
        action()
    except (LayerloomError, OSError) as error:
        st.error(escape_markdown(error, 400), icon=":material/error:")
        return
    st.rerun()


def _carry_out(document: Document, view: SweepView) -> None:
    """Carry out the button pressed in the table of trials."""
    act = state.event(VIEW, "act")
    number = act.get("trial") if isinstance(act, dict) else None
    row = next((row for row in view.trials if row.get("trial") == number), None)
    if row is None:
        return
    if act["what"] == "stop":
        _try(lambda: sweeps.stop_trial(view.name, int(row["trial"])))
    elif row.get("value") is not None:
        trial_settings.apply(document, view, row, to_canvas=act["what"] == "canvas")


def _about(document: Document, view: SweepView) -> None:
    """Show the best trial, the importance of the settings, and the project of the sweep."""
    if not sweeps.is_own(document, view):
        st.caption("A sweep of another project: its settings may not fit this one.")
    if view.best is not None and view.over:  # the charts say it while the trials train
        _best(document, view, view.best)
    if view.front:
        _front(view)
    if view.importances:
        names = space.titles(document.project, list(view.importances))
        shares = (f"{names[key]} {share:.0%}" for key, share in view.importances.items())
        st.caption(f"Importance: {escape_markdown(', '.join(shares), 300)}.")


def _best(document: Document, view: SweepView, best: Mapping[str, Any]) -> None:
    """What the best trial reached, large, and with which settings."""
    first = next(iter(view.objectives), {"name": view.metric})
    score = objective_text(first, best["value"])
    words = str(first.get("words") or metric_words(view.metric))
    settings = trial_settings.summary(document.project, view, best)
    length = trial_settings.saved_epochs(view)
    where = ", the mean of its folds" if view.mean else f", in trial {best['trial']}"
    reached = f"{words} with {settings}{where}{_best_of(view)}."
    kept = f" {length} to save time; applying it keeps the epochs of this project."
    with st.container(key="sweep_best", gap="small"):
        st.markdown(f"#### {escape_markdown(score, 60)}")
        said = reached[:1].upper() + reached[1:] + (kept if length else "")
        st.caption(escape_markdown(said, 600))


def _front(view: SweepView) -> None:
    """Show the trials that no other one beats, and how their objectives are measured."""
    names = " and ".join(str(each.get("words", "")) for each in view.objectives)
    st.caption(f"{_on_front(len(view.front))} of {escape_markdown(names, 200)}.")
    if drawn := front.picture(view):
        st.html(drawn)
    for note in filter(None, (str(each.get("note", "")) for each in view.objectives)):
        st.caption(escape_markdown(note, 300))


def _best_of(view: SweepView) -> str:
    """What the best trial is the best of, where some failed."""
    others = among(view.trials)
    return f", the best{others}" if others else ""


def _on_front(count: int) -> str:
    """How many trials are on the front."""
    return f"{count} trials are on the front" if count > 1 else "One trial is on the front"


AXES = (90.0, 260.0, 430.0, 600.0, 770.0)
TRIALS = (
    (0.1, 0.7, 0.35, 0.9, 0.25),
    (0.85, 0.2, 0.6, 0.15, 0.5),
    (0.5, 0.45, 0.9, 0.55, 0.7),
    (0.65, 0.85, 0.15, 0.35, 0.92),
)


def _outlook() -> None:
    """Show what the page offers before the first sweep."""
    markup.style()
    st.html(f'<div class="ll-outlook one">{svg_plots.parallel(AXES, TRIALS)}</div>')
    markup.prose(*NEW)


PAGE = Page(
    "sweeps",
    "Sweep",
    "tune",
    render,
    "Train with many settings, and keep the best.",
    after="train",
    linked={"train": "Sweep"},
)
