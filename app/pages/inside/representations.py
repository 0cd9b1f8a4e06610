"""Representations: linear probes of blocks, a map of samples, similarity of blocks."""

import streamlit as st

from app.markdown import escape_markdown
from app.pages.inside import choice_grid, sample_map
from app.pages.inside.inspection import Inspection, ask
from app.pages.shared import markup, networks, state, svg_plots
from app.process.pool import PoolError
from app.services import paths
from app.services.calls import network
from core.common.network_ref import RunWeights
from core.insight.representation.results import Probes, Similarity

LONG_S = 150.0
BLOCK, METHOD = "inside:knows:block", "inside:knows:method"
ALIKE, AGAINST = "inside:knows:alike", "inside:knows:against"
DOT = "\u2022"
METHODS = {"PCA": "pca", "t-SNE": "tsne"}


def show(inspection: Inspection) -> None:
    """Draw the probes of all blocks, and the samples at the chosen block."""
    if inspection.alive:
        st.info("Available when the run has ended: its weights are still changing.")
        return
    if inspection.overview["problem"]:
        st.info(escape_markdown(inspection.overview["problem"], 300))
        return
    names = ask(network.blocks, inspection.ref)
    if not names:
        st.info("No block of this network has a numeric output to analyse.")
        return
    kept = state.value(BLOCK)
    chosen = str(kept) if kept in names else names[-1]
    left, right = st.columns([6, 5], gap="large")
    with left:
        _probes(inspection, names, chosen)
    with right, st.container(key="inside_knows"):
        _map(inspection, chosen)
    _alike(inspection)


def _probes(inspection: Inspection, names: list[str], chosen: str) -> None:
    """A bar for each block: score of its linear probe. A click shows its samples."""
    probes: Probes | None = None
    try:
        with st.spinner("Probing every block", show_time=False):
            probes = ask(network.probes, inspection.ref, timeout_s=LONG_S)
    except PoolError as error:
        st.caption(escape_markdown(error, 300))
    scores = {path: (block, score) for path, block, score in probes.by_block} if probes else {}
    rows = "".join(_row(name, scores.get(name), probes.guess if probes else 0.0) for name in names)
    if probes:
        st.html(f"<h3>Linear probe: {probes.metric} on validation samples</h3>")
    choice_grid.choice(f'<div class="ll-probes">{rows}</div>', chosen, "inside_probes", _keep_block)
    if probes:
        guess = f" The mark at {probes.guess:.1%} is for always predicting the most frequent class."
        markup.prose(
            f"How well a linear model ({probes.rule}) predicts the target from a block's output. "
            f"It is fitted on {probes.trained_on:,} training samples and scored on "
            f"{probes.tried_on:,} validation samples.{guess if probes.guess else ''} A high score "
            "does not mean that the network uses this information.",
            small=True,
        )


def _row(name: str, score: tuple[str, float] | None, guess: float) -> str:
    block, value = score or ("", None)
    if value is None:
        return choice_grid.button(name, f"<b>{markup.escape(name)}</b>", look="probe")
    width = 100 * min(max(value, 0.0), 1.0)
    mark = f'<s style="left:{100 * guess:.1f}%"></s>' if guess else ""
    inner = (
        f'<b>{markup.escape(name)}</b><span class="small">{markup.escape(block)}</span>'
        f'<span class="bar"><i style="width:{width:.1f}%"></i>{mark}</span><span>{value:.1%}</span>'
    )
    return choice_grid.button(name, inner, look="probe")


def _keep_block(name: str) -> None:
    state.keep(BLOCK, name)


def _map(inspection: Inspection, node: str) -> None:
    """All samples at one block, on a plane."""
    st.subheader(escape_markdown(node, 60))
    picked = st.segmented_control(
        "Map",
        list(METHODS),
        default="PCA",
        required=True,
        key=METHOD,
        label_visibility="collapsed",
    )
    method = METHODS[picked or "PCA"]
    try:
        with st.spinner("Computing the map", show_time=False):
            embedding = ask(network.embedding, inspection.ref, node, method, timeout_s=LONG_S)
    except PoolError as error:
        st.info(escape_markdown(error, 300))
        return
    names = list(embedding.classes)
    kinds = list(embedding.labels) if names else [0] * len(embedding.x)
    words = f"{len(embedding.x)} validation samples at {node}, reduced to a plane by {picked}."
    plane = svg_plots.places(embedding.x, embedding.y, kinds, names or [DOT], words)
    try:
        faces = ask(network.faces, inspection.ref, len(embedding.x))
        sample_map.show(embedding, faces, plane, words)
    except PoolError as error:
        st.html(plane)
        st.caption(escape_markdown(error, 300))
    if names and (signs := svg_plots.glyphs(names)) != names:
        pairs = "; ".join(f"{s} {name}" for s, name in zip(signs, names, strict=True))
        st.caption(escape_markdown(pairs, 600))
    if method == "tsne":
        st.caption("t-SNE keeps neighbours together; sizes and distances of clusters mean nothing.")
        return
    first, second = embedding.shares
    if not first:
        st.caption(f"{escape_markdown(node, 60)} has the same output for all samples: one point.")
        return
    st.caption(
        f"The first two principal components of the output of {escape_markdown(node, 60)}: "
        f"{first:.0%} and {second:.0%} of the variance. Samples that overlap here may be apart in "
        "other components."
    )


def _alike(inspection: Inspection) -> None:
    """Similarity of blocks to each other, or to those of another run, on request."""
    ref = inspection.ref
    if state.value(ALIKE) != ref:
        st.button(
            "Compare blocks (CKA)",
            icon=":material/compare_arrows:",
            key="inside:knows:compare",
            on_click=state.keep,
            args=(ALIKE, ref),
            help="How similar the outputs of two blocks are, ignoring rotation and scale.",
        )
        return
    other = _other(inspection)
    try:
        with st.spinner("Comparing blocks", show_time=False):
            similarity = ask(network.similarity, inspection.ref, other, timeout_s=LONG_S)
    except PoolError as error:
        st.info(escape_markdown(error, 300))
        return
    st.html(similarity_html(similarity, str(state.value(AGAINST) or "") if other else ""))


def _other(inspection: Inspection) -> RunWeights | None:
    """Choose the run whose blocks are the columns; None for the network itself."""
    own = inspection.view.name if inspection.view else ""
    there = [name for name in networks.ended_runs() if name != own]
    if not there:
        return None
    if state.value(AGAINST) not in there:
        state.keep(AGAINST, "")
    name = st.selectbox(
        "Compare with",
        ["", *there],
        key=AGAINST,
        width=320,
        format_func=lambda each: each or "itself",
        help="The best weights of another run with samples of the same shape.",
    )
    folder = paths.find_run(name) if name else None
    return None if folder is None else networks.of_run(folder)


def similarity_html(similarity: Similarity, other: str = "") -> str:
    """Linear CKA as a table, stronger indigo for more similar. other: name of the columns' run."""
    across = f"Rows: this network. Columns: {other}. " if other else ""
    head = "".join(f'<th scope="col">{markup.escape(name)}</th>' for name in similarity.columns)
    rows = "".join(
        f'<tr><th scope="row">{markup.escape(name)}</th>{"".join(map(_cell, values))}</tr>'
        for name, values in zip(similarity.rows, similarity.values, strict=True)
    )
    return (
        "<h3>Similarity of blocks</h3>"
        f'<div class="ll-alike"><table><tr><td></td>{head}</tr>{rows}</table></div>'
        f'<p class="ll-axis">{markup.escape(across)}Linear CKA on {similarity.samples} validation '
        "samples: 1 if two blocks separate the samples in the same way, 0 if they have nothing in "
        "common.</p>"
    )


def _cell(value: float) -> str:
    return f'<td style="background:rgba(104,100,217,{0.5 * max(value, 0):.2f})">{value:.2f}</td>'
