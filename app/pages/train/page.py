"""The Train page: data and settings on the left, the run with its curves on the right."""

from pathlib import Path

import streamlit as st

from app.markdown import escape_markdown
from app.pages.shared import markup, networks, runs, state
from app.pages.train import data_form, form, run, run_list
from app.services import paths
from app.services.document import Document
from core.runs import listing
from core.runs.listing import RunView
from core.worker import warm_worker


def render() -> None:
    """Draw the page."""
    document = state.require_document()
    warm_worker.warm()  # a process that has torch imported, for when Train is pressed
    left, right = st.columns([5, 9], gap="large")
    with left, st.container(key="train_form"):
        problem = _form(document)
    with right:
        _start(document, problem)
        views = listing.list_runs(paths.runs_dir())
        chosen = state.run_dir() or _going_on(views, document.project.name)
        if chosen is not None:
            run.show(chosen)
        else:
            _nothing_yet(bool(views), bool(problem))
        run_list.choose(views)
        markup.scroll_to_top(
            chosen.name if chosen else "", key="train_top"
        )  # a run far down is shown there


def _form(document: Document) -> str:
    """Draw the form; return why training cannot start, "" if it can."""
    if not data_form.ask(document):
        return "There is no data to train on yet: choose it on the left."
    with st.spinner("Checking the network"):
        fit = document.fit()
    form.ask(document, fit.info)
    return document.training_problem(fit)


def _start(document: Document, problem: str) -> None:
    with st.container(horizontal=True, vertical_alignment="center", key="train_head"):
        st.header(escape_markdown(document.title, 80), width="content")
        st.space("stretch")
        pressed = st.button(
            "Train",
            type="primary",
            icon=":material/play_arrow:",
            disabled=bool(problem),
            key="train",
            width=160,
        )
    if problem:
        st.warning(escape_markdown(problem, 500), icon=":material/build:")
        _link_to_fix(document)
    if pressed and runs.start_run(document):
        st.rerun()


def _link_to_fix(document: Document) -> None:
    """Lead to the page where what keeps the training from starting can be mended."""
    if not document.analysed().get("ok"):
        networks.link_to_canvas()
        return
    if document.fit().info is None:
        fits = "Fit the network to the data" if document.project.data.get("source") else ""
        page, words, icon = "data", fits or "Choose data or bring your own", ":material/database:"
    else:  # a download or a setting, on this page
        return
    st.page_link(state.page(page), label=words, icon=icon, query_params=state.address())


def _going_on(views: list[RunView], project: str) -> Path | None:
    """Choose a run of this project that is under way, if none is chosen."""
    alive = [v for v in views if v.state in listing.ALIVE and v.project_name == project]
    if alive:
        state.choose_run(alive[0].name)
    return alive[0].dir if alive else None


def _nothing_yet(some: bool, problem: bool) -> None:
    """Say what to do if no run is shown; errors that prevent training are shown above."""
    message = (
        "Press **Train**. The curves appear here while the network learns, and every run is kept "
        "in a folder of its own."
    )
    if some:
        message = "Choose a run below to see its curves"
        message += "." if problem else ", or press **Train** to start a new one."
    elif problem:
        return
    with st.container(border=True):
        st.markdown(message)
