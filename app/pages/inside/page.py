"""The page "Look inside": maps, mistakes, confusion, filters and summary of one network."""

from collections.abc import Callable
from dataclasses import dataclass
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
    tabs,
)
from app.pages.inside.inspection import Inspection
from app.pages.shared import markup, networks, runs, skeletons, state
from app.pages.shared.beginning import require_document
from app.process.pool import PoolError
from app.services import paths
from core.common.network_ref import CheckpointRef, ImportedRef, NetworkRef
from core.insight.look.catalogue import LOOKS
from core.runs import listing
from core.runs.checkpoint import epochs, path_of
from core.runs.listing import ALIVE, RunView

Section = Callable[[Inspection], None]


@dataclass(frozen=True)
class View:
    """What one tab shows in one way. shape: of its skeleton; pictured: it needs samples of data."""

    show: Section
    shape: str
    pictured: bool = False


OWN: dict[str, dict[str, View]] = {
    "Blocks": {
        "Feature maps": View(feature_maps.show, "blocks", pictured=True),
        "Filters": View(filters.show, "tiles"),
    },
    "Why": {"": View(explanations.show, "sample", pictured=True)},
    "Mistakes": {
        "Samples": View(mistakes.show, "tiles", pictured=True),
        "Confusion matrix": View(confusion.show, "matrix", pictured=True),
    },
    "Representations": {"": View(representations.show, "bars")},
    "Cost": {"": View(cost.show, "table")},
    "Summary": {"": View(summary.show, "table")},
}


def _with_declared() -> dict[str, dict[str, View]]:
    """The tabs, with the pictures that a module declares alone."""
    found = {title: dict(ways) for title, ways in OWN.items()}
    for view in LOOKS.values():
        if view.title:
            shown = View(partial(declared.show, view), "table")
            found.setdefault(view.title, {})[view.way] = shown
    return found


TABS = _with_declared()
"""The tabs, each with the ways in which it shows what it is about, by name; "" for one alone."""
FIRST = "Blocks"


def render() -> None:
    """Draw the page."""
    document = require_document("inside")
    markup.style()
    names = networks.network_names(document)
    with st.container(horizontal=True, vertical_alignment="center", key="page_head"):
        st.header("Look inside", width="content")
        st.space("stretch")
        preferred = networks.default_name(document, names)
        name, checkpoint = networks.pick(names, preferred, "look", _checkpoint)
    networks.note_skipped(document, names, name)
    if networks.warn_if_unfinished(document, name):
        return
    tab, way = _tabs()
    view = TABS[tab][way]
    with st.container(key="inside_page"):
        shown = (document.doc_id, name, checkpoint, tab, way)
        with skeletons.instead(view.shape, "inside", shown), st.container(key="inside_body"):
            inspection = _open(name, checkpoint)
            if inspection is not None:
                draw = st.fragment(_draw, run_every=1.0 if inspection.alive else None)
                draw(inspection, tab, way)


def _tabs() -> tuple[str, str]:
    """Draw the tabs, and beside them the ways in which the chosen one shows what it is about."""
    with st.container(horizontal=True, vertical_alignment="center", key="inside_tabs"):
        tab = st.segmented_control(
            "View",
            list(TABS),
            default=FIRST,
            required=True,
            label_visibility="collapsed",
            key=tabs.TAB,
        )
        tab = tab or FIRST
        ways = list(TABS[tab])
        if len(ways) == 1:
            st.empty()  # the ways of the tab before go at once
            return tab, ways[0]
        way = st.pills(
            tab,
            ways,
            default=ways[0],
            required=True,
            label_visibility="collapsed",
            key=tabs.way_key(tab),
        )
    return tab, way or ways[0]


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
        with st.spinner("Opening the network", show_time=False):
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


def _draw(inspection: Inspection, tab: str, way: str) -> None:
    """Draw one view; a run that has just ended is opened again, with its best weights."""
    if tabs.left(tab, way):  # a picture leads to another view
        st.rerun()
    if inspection.alive and inspection.view is not None:
        view = listing.view_run(inspection.view.dir)
        if view.state not in ALIVE:
            st.rerun()
        _status(view)
    else:
        _status(inspection.view, inspection.ref)
    chosen = TABS[tab][way]
    if not inspection.alive and inspection.overview["problem"] and chosen.pictured:
        st.warning(escape_markdown(inspection.overview["problem"], 500), icon=":material/database:")
        st.page_link(state.page("data"), label="Go to Data", query_params=state.address())
        return
    try:
        chosen.show(inspection)
    except PoolError as error:
        st.error(escape_markdown(error, 500), icon=":material/error:")
