"""The page "Shrink": methods that make a trained network smaller, each with its measurements."""

from pathlib import Path

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from app.markdown import escape_markdown
from app.pages.shared import markup, networks, state, stop_button, svg_plots
from app.pages.shared.beginning import require_document
from app.pages.shared.page_declaration import Page
from app.services import paths
from app.services.document import Document
from app.wings.shrink import form, results, sensitivity
from app.wings.shrink import service as shrinking
from app.wings.shrink.service import ShrinkView
from core.common.errors import RunError
from core.worker import force

VARIANTS = ((70, 128), (118, 74), (196, 46), (330, 34), (150, 120), (240, 88), (300, 70), (390, 52))
"""Places of no variants: the first four are the best trade-offs."""
EVERY_S = 1.0
NEW = (
    "**Choose methods and try them.** Each makes a variant from the best weights of this run and "
    "compares it with the network: size, metric on the validation samples, time and memory.",
    "**See what it costs.** Two plots show the metric against size and against time, with the best "
    "trade-offs marked.",
    "**Use a variant.** Open a smaller drawing and train it further, or download a file. The "
    "Python code that makes it is shown.",
)


def render() -> None:
    """Draw the page."""
    document = require_document("shrink")
    markup.style()
    head = st.container(horizontal=True, vertical_alignment="center", key="shrink_head")
    run = _run(head, document)
    if run is None:
        return
    weights = networks.weights_version(run)
    view = shrinking.read_state(run, weights)
    left, right = st.columns([4, 11], gap="large")
    with left, st.container(key="shrink_form"):
        _ask(head, run, view)
    with right, st.container(key="shrink_results"):
        if view.state != "idle":
            _follow(run, weights, len(view.rows))
        elif view.message:
            st.error(escape_markdown(view.message, 400), icon=":material/error:")
        if view.rows:
            results.show(run, view.rows)
            sensitivity.show(run, weights, view.state == "idle")
        elif view.state == "idle":
            _outlook()


def _run(head: DeltaGenerator, document: Document) -> Path | None:
    """Draw the title and the choice of a run; return its folder, None without weights."""
    names = [name for name in networks.network_names(document) if name not in networks.TITLES]
    with head:
        st.header("Shrink", width="content")
        st.space("stretch")
        chosen = networks.default_name(document, names) if names else ""
        name = networks.select_network(names, chosen, "shrink") if names else ""
        st.page_link(
            state.page("export"),
            label="Export it as it is",
            icon=":material/ios_share:",
            query_params=state.address(),
        )
    folder = paths.find_run(name) if name else None
    if folder is not None and networks.weights_version(folder) != "none":
        return folder
    st.markdown(
        "Train the network first: only then is it known which weights it can do without."
        if not names
        else "This run has no weights yet."
    )
    st.page_link(
        state.page("train"),
        label="Train it first",
        icon=":material/show_chart:",
        query_params=state.address(),
    )
    _outlook()
    return None


def _outlook() -> None:
    """Show what the page offers before the first variant."""
    figure = svg_plots.trade_off(VARIANTS)
    st.html(f'<div class="ll-outlook one empty"><figure>{figure}</figure></div>')
    markup.prose(*NEW)


def _ask(head: DeltaGenerator, run: Path, view: ShrinkView) -> None:
    """Draw the form; start the methods when the button in the head is pressed."""
    chosen, epochs = form.ask(run.name)
    pressed = head.button(
        "Try them",
        type="primary",
        key="shrink_start",
        icon=":material/compress:",
        disabled=not chosen or view.state != "idle",
        help=None if chosen else "Choose at least one method first.",
    )
    if pressed:
        try:
            shrinking.begin(run, chosen, epochs)
        except RunError as error:
            st.error(escape_markdown(error, 400), icon=":material/error:")
            return
        st.rerun()
    if chosen:
        st.code(
            form.command(shrinking.command_of(run, chosen, epochs)), language=None, wrap_lines=True
        )


@st.fragment(run_every=EVERY_S)
def _follow(run: Path, weights: str, shown: int) -> None:
    """Show the progress; each new row redraws the page."""
    view = shrinking.read_state(run, weights)
    if view.state == "idle" or len(view.rows) != shown:
        st.rerun()
    progress = view.progress
    words = f"{progress.name}: {progress.doing}" if view.state == "running" else f"{view.state}…"
    known = progress.of and view.state == "running"
    share = max(0, progress.at - 1) / progress.of if known else 0.0
    with st.container(horizontal=True, vertical_alignment="center", key="shrink_progress"):
        st.progress(share, escape_markdown(words.capitalize(), 120))
        after = "Finished tries stay."
        stop_button.draw("shrink_stop", view.state == "stopping", lambda: _stop(run), after)
    if view.state == "stopping":
        st.caption(f"The process {force.FINISHED_STAY}")


def _stop(run: Path) -> None:
    try:
        shrinking.stop(run)
    except RunError as error:
        st.error(escape_markdown(error, 400), icon=":material/error:")
        return
    st.rerun()


PAGE = Page(
    "shrink",
    "Shrink",
    "compress",
    render,
    "Make a trained network smaller, and see what that costs.",
    after="export",
    linked={"export": "Make it smaller"},
)
