"""The page "Look inside": maps, mistakes, confusion, filters and summary of one network."""

from collections.abc import Callable
from functools import partial

import streamlit as st

from app.markdown import escape_markdown
from app.pages.inside import (
    confusion,
    cost,
    declared,
    explanations,
    feature_maps,
    filters,
    inspection,
    mistakes,
    representations,
    summary,
)
from app.pages.inside.inspection import Inspection
from app.pages.shared import glossary, markup, networks, runs, state
from app.pages.shared.beginning import require_document
from app.process.pool import PoolError
from app.services import paths
from core.insight.look.catalogue import LOOKS
from core.network_ref import CheckpointRef, ImportedRef, NetworkRef
from core.runs import listing
from core.runs.checkpoint import epochs, path_of
from core.runs.listing import ALIVE, RunView

SECTIONS: dict[str, Callable[[Inspection], None]] = {
    "Feature maps": feature_maps.show,
    "Why": explanations.show,
    "Mistakes": mistakes.show,
    "Confusion matrix": confusion.show,
    "Filters": filters.show,
    "Representations": representations.show,
    "Cost": cost.show,
    "Summary": summary.show,
    **{view.title: partial(declared.show, view) for view in LOOKS.values() if view.title},
}
ABOUT = "Feature maps, filters, confusion matrix; targets, predictions, loss, parameters, logits"
PICTURES = ("Feature maps", "Why", "Mistakes", "Confusion matrix")


def render() -> None:
    """Draw the page."""
    document = require_document("inside")
    markup.style()
    names = networks.network_names(document)
    with st.container(horizontal=True, vertical_alignment="center"):
        st.header("Look inside", width="content", help=glossary.help_text(ABOUT))
        st.space("stretch")
        checkpoints = st.container(width=190)
        name = networks.select_network(names, networks.default_name(document, names), "look")
    networks.note_skipped(document, names, name)
    with checkpoints:
        checkpoint = _checkpoint(name)
    unfinished = networks.warn_if_unfinished(document, name)
    inspection = None if unfinished else _open(name, checkpoint)
    if inspection is None:
        return
    section = st.segmented_control(
        "View",
        list(SECTIONS),
        default="Feature maps",
        required=True,
        label_visibility="collapsed",
        key="inside",
    )
    with st.container(key="inside_body"):
        draw = st.fragment(_draw, run_every=1.0 if inspection.alive else None)
        draw(inspection, section or "Feature maps")


def _checkpoint(name: str) -> str:
    """Choose the weights of a run that has ended: the best, the last, or a kept epoch."""
    folder = paths.find_run(name) if name else None
    if folder is None or listing.view_run(folder).state in ALIVE:
        return "best"
    there = [c for c in ("best", "last", *epochs(folder)) if path_of(folder, c).exists()]
    if len(there) < 2:
        return "best"
    return (
        st.selectbox(
            "Weights",
            there,
            format_func=_weights,
            label_visibility="collapsed",
            key=f"inside:weights:{name}",
            help="The weights to look at.",
        )
        or "best"
    )


def _weights(checkpoint: str) -> str:
    if checkpoint in ("best", "last"):
        return f"{checkpoint.capitalize()} weights"
    return f"Epoch {int(checkpoint.removeprefix('epoch-'))}"


def _open(name: str, checkpoint: str) -> Inspection | None:
    document = require_document("inside")
    try:
        with (
            st.spinner("Opening the network", show_time=False),
            markup.placeholder("tiles", "inside", (document.doc_id, name, checkpoint)),
        ):
            return inspection.open_inspection(document, name, checkpoint)
    except (PoolError, OSError) as error:
        st.error(escape_markdown(error, 500), icon=":material/error:")
    st.page_link(state.page("train"), label="Go to Train", icon=":material/show_chart:")
    return None


def _status(view: RunView | None, ref: NetworkRef | None = None) -> None:
    """Show where these weights come from."""
    with st.container(horizontal=True, vertical_alignment="center"):
        if isinstance(ref, ImportedRef):
            st.badge("Imported", color="violet", icon=":material/input:")
            st.caption("The weights of the imported model, from the file beside the project.")
            return
        if view is None:
            st.badge("Not trained", color="gray", icon=":material/casino:")
            st.caption("The weights are random: this is where training starts.")
            return
        word, colour, icon = runs.BADGES[view.state]
        st.badge(word, color=colour, icon=icon)
        best = view.best or {}
        if view.state in ALIVE:
            progress = f"Epoch {view.epoch} of {view.epochs}."
            st.caption(escape_markdown(f"{progress} The pictures update as it trains."))
        elif isinstance(ref, CheckpointRef):
            st.caption(escape_markdown(f"{_weights(ref.which)} of the run."))
        elif best:
            st.caption(escape_markdown(f"Best weights, from epoch {best.get('epoch', '?')}."))


def _draw(inspection: Inspection, section: str) -> None:
    """Draw one section; a run that has just ended is opened again, with its best weights."""
    if (state.value("inside") or section) != section:  # a picture leads to another section
        st.rerun()
    if inspection.alive and inspection.view is not None:
        view = listing.view_run(inspection.view.dir)
        if view.state not in ALIVE:
            st.rerun()
        _status(view)
    else:
        _status(inspection.view, inspection.ref)
    if not inspection.alive and inspection.overview["problem"] and section in PICTURES:
        st.warning(escape_markdown(inspection.overview["problem"], 500), icon=":material/database:")
        st.page_link(state.page("data"), label="Go to Data", query_params=state.address())
        return
    try:
        SECTIONS[section](inspection)
    except PoolError as error:
        st.error(escape_markdown(error, 500), icon=":material/error:")
