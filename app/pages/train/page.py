"""The Train page: the settings in one line, the shown run, and the runs of the project."""

import json
from collections.abc import Sequence
from pathlib import Path

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from app import charts
from app.markdown import escape_markdown
from app.pages.shared import markup, networks, runs, state
from app.pages.shared.beginning import require_document
from app.pages.train import data_form, form, outlook, run, run_list, settings_sheet, trials
from app.pages.train.trials import TrialRequest
from app.process import pool
from app.process.pool import PoolError
from app.services import current_run, data_guess, data_previews, paths, training
from app.services.document import Document
from app.services.run_start import problem_here
from app.services.training import Fit
from core.data import DataError, Unread, read_settings
from core.data.custom import dataset_file
from core.data.sources.custom_source import read_custom_source
from core.runs import listing
from core.runs.listing import RunView
from core.worker import warm_worker

NO_DATA = "There is no data to train on yet. Choose a data set in the settings."
STARTS = "train_starts"
READ_S = 600.0


def render() -> None:
    """Draw the page."""
    document = require_document("train")
    warm_worker.warm()  # a process that has torch imported, for when Train is pressed
    views = listing.list_runs(paths.runs_dir())
    chosen = state.run_dir() or _of_project(views, document)
    with st.container(key="train_results"):
        head = st.container(horizontal=True, vertical_alignment="center", key="train_head")
        with head:  # before the first analysis: only then it is known whether Train can be pressed
            st.header(escape_markdown(document.title, 80), width="content")
            st.space("stretch")
        line, notices = st.container(key="train_line"), st.container(key="train_said")
        with st.container(key="train_body"):
            body, listed = st.container(key="train_run"), st.container(key="train_runs")
    markup.scroll_to_top(chosen.name if chosen else "", key="train_top")  # one far down is shown
    # the first analysis takes seconds, in which the page is not to be bare
    early = not document.session.analysis.made
    waiting = notices.empty()
    if early and chosen is not None:
        _runs(body, listed, views, chosen, document)
    elif early:
        waiting.html(outlook.figure())
    with settings_sheet.sheet(document):
        fit, request, problem = _form(document)
    with line:
        settings_sheet.line(document)
    waiting.empty()
    with notices:
        _start(head, document, problem)
        tried = trials.show(document, request)
    if chosen is None and not tried:
        with body:
            outlook.show(document, fit, bool(problem))
    if chosen is None or not early:
        _runs(body, listed, views, chosen, document)


def _form(document: Document) -> tuple[Fit, TrialRequest, str]:
    """Draw the form; return the fit of the data, the requested trials, and the problem or ""."""
    if not data_form.ask(document):
        return Fit(None), TrialRequest(), NO_DATA
    with st.spinner("Checking the network"):
        fit = training.fit(document)
    request = form.ask(document, fit.info)
    document.trains_here = runs.chosen_launcher().plain
    return fit, request, problem_here(document) or training.problem(document.project, fit)


def _runs(
    body: DeltaGenerator,
    listed: DeltaGenerator,
    views: Sequence[RunView],
    chosen: Path | None,
    document: Document,
) -> None:
    if chosen is not None:
        view = listing.view_run(chosen)
        views = [view if other.name == view.name else other for other in views]
        with body:
            run.show(chosen, view)
    with listed:  # both from one reading: a run may end between two
        run_list.choose(views, document)


def _start(head: DeltaGenerator, document: Document, problem: str) -> None:
    with head:
        charts.starting(state.value(STARTS) or 0)
        state.links("train")
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
    if pressed:
        _train(document)


def _train(document: Document) -> None:
    """Start a run; the notice in the head disappears once it has started."""
    started = runs.start_run(document)
    state.keep(STARTS, (state.value(STARTS) or 0) + 1)
    if started:
        st.rerun()


def _link_to_fix(document: Document) -> None:
    """Link to the page where the problem can be fixed."""
    if not document.analysed().get("ok") or problem_here(document):
        networks.link_to_canvas()
        return
    if training.fit(document).info is None:
        if _offer_to_read(document):
            return
        fits = "Fit the network to the data" if document.project.data.get("source") else ""
        page, words, icon = "data", fits or "Choose data or bring your own", ":material/database:"
    else:  # a download or a setting, on this page
        return
    st.page_link(state.page(page), label=words, icon=icon, query_params=state.address())


def _offer_to_read(document: Document) -> bool:
    """Offer to read own data that was not read yet, or has changed; whether that is what lacks."""
    data = dict(document.project.data)
    try:
        read_settings(data)
        return False
    except Unread:
        given = read_custom_source(data)
    except DataError:
        return False
    if given is None or dataset_file.untrusted_path(data):
        return False
    words = f"Read {escape_markdown(given.path, 60)}"
    if st.button(words, type="primary", icon=":material/file_open:", key="read_data_here"):
        try:
            with st.spinner("Reading"):
                size = data_guess.bytes_of(data)
                pool.read(size, data_previews.read, json.dumps(data), timeout_s=READ_S)
        except PoolError as error:
            st.error(escape_markdown(error, 500), icon=":material/error:")
        else:
            st.rerun()
    return True


def _of_project(views: Sequence[RunView], document: Document) -> Path | None:
    """Choose the run for all pages, if none is chosen yet."""
    view = current_run.run_to_show(document, views=views)
    if view is None:
        return None
    state.choose_run(view.name)
    return view.dir
