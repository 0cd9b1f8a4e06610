"""Fitting the network to the data: mismatches, the button that fixes them, and the next step."""

from collections.abc import Mapping
from dataclasses import replace
from math import prod
from typing import Any

import streamlit as st

from app.markdown import escape_markdown
from app.pages.shared import runs, state
from app.services import suggestions, training
from app.services.document import Document
from blocks import declaration, has
from core.data import DataError, DataSettings
from core.data.facts.description import counts
from core.graph import Graph
from core.graph.edits import apply

WIDTH = "out_features"
THROUGH = ("elementwise", "per_channel", "softmax", "dropout", "flattens")
"""Traits of blocks that keep the number of outputs."""
KNOWS = "num_embeddings"
SIDE = 64


def input_shape(document: Document) -> tuple[int, ...]:
    """The shape of the network's first Input, () without one."""
    graph = document.project.graph
    node = _input(graph)
    return _sizes(graph, node) if node else ()


def _sizes(graph: Graph, node: str) -> tuple[int, ...]:
    """The shape setting of an Input, () if it is not a list of integers."""
    shape: Any = graph.nodes[node].settings.get("shape", ())
    good = isinstance(shape, list | tuple) and all(isinstance(size, int) for size in shape)
    return tuple(shape) if good else ()


def sizes(document: Document, settings: DataSettings) -> tuple[int, int, int]:
    """Numbers of training, validation and test samples; zeros if the split is impossible."""
    try:
        return counts(settings, input_shape(document) or (SIDE,))
    except DataError as error:
        st.warning(escape_markdown(error, 300), icon=":material/call_split:")
        return 0, 0, 0


def offer(document: Document, settings: DataSettings) -> bool:
    """Show what does not fit the data, with a button that changes it; False if all fits."""
    graph = document.project.graph
    if training.fit(document).info:  # what fits stays as it is
        return False
    edits = [*fit_edits(graph, settings), *flatten_edits(document.analysed(), settings)]
    if not edits:
        return False
    words = " and ".join(_edit_summary(edit) for edit in edits)
    with st.container(border=True, key="fit_offer"):
        st.markdown(
            ":material/build: The network does not fit this data yet: "
            f"{escape_markdown(words, 300)}"
        )
        if st.button(
            "Fit the network to the data",
            type="primary",
            key="fit_network",
            icon=":material/auto_fix_high:",
        ):
            document.replace(replace(document.project, graph=apply(graph, edits)))
            suggestions.refit(document)
            st.rerun()
    return True


def fit_edits(graph: Graph, settings: DataSettings) -> list[dict[str, Any]]:
    """The edits that fit the first Input to the data and the last layer to the target."""
    source, edits = settings.source, list[dict[str, Any]]()
    node = _input(graph)
    if node and not settings.inputs and (shape := _shape_for(graph, node, settings)):
        dtype = {"dtype": "int64"} if source.kind == "text" else {"dtype": None}
        now = graph.nodes[node].settings
        change = {"shape": list(shape)}
        if now.get("dtype", "float32") != (dtype["dtype"] or "float32"):
            change |= dtype
        if change != {"shape": list(_sizes(graph, node))}:
            edits.append({"op": "set", "node": node, "settings": change})
    text = settings.target == "next" and source.kind == "text"
    outputs = len(source.alphabet) if text else len(source.classes) or source.ahead or 1
    known = source.most_tokens or (outputs if text else 0)
    edits += _embedded(graph, node, known) if known else []
    last = _last(graph) if text or source.ahead or settings.target == "label" else ""
    if last:
        features = graph.nodes[last].settings.get(WIDTH)
        if features != outputs and not (outputs == 2 and features == 1):
            edits.append({"op": "set", "node": last, "settings": {WIDTH: outputs}})
    return edits


def flatten_edits(report: Mapping[str, Any], settings: DataSettings) -> list[dict[str, Any]]:
    """The edits that flatten a picture before the first Linear, if a sample has one target."""
    if settings.target != "label":
        return []
    warned = (w for w in report["warnings"] if w["code"] == "missing_flatten")
    return next((warning["fixes"][0]["edits"] for warning in warned), [])


def _embedded(graph: Graph, node: str, tokens: int) -> list[dict[str, Any]]:
    """The edits that give every Embedding of the text as many rows as it has tokens."""
    names = [edge.target for edge in graph.edges if edge.source == node]
    small = [
        name
        for name in names
        if declaration(graph.nodes[name].block).setting(KNOWS)
        and _known(graph.nodes[name].settings.get(KNOWS)) < tokens
    ]
    return [{"op": "set", "node": name, "settings": {KNOWS: tokens}} for name in small]


def _known(count: Any) -> int:
    return count if isinstance(count, int) else 0


def _shape_for(graph: Graph, node: str, settings: DataSettings) -> tuple[int, ...]:
    """The shape the Input should have; () if it can stay."""
    source, has = settings.source, _sizes(graph, node)
    if source.ahead:
        return has if has == (prod(source.shape),) else source.shape
    if source.kind in ("text", "series"):
        return has if len(has) == 1 and has else (source.shape or (SIDE,))
    if source.kind == "table":
        return source.shape
    picture = len(has) == 3
    if source.decoded:
        return has if picture and has[0] in (1, 3) else (source.shape[0], SIDE, SIDE)
    return has if picture and has[0] == source.shape[0] else source.shape


def _edit_summary(edit: dict[str, Any]) -> str:
    if edit["op"] == "insert":
        return f"{edit['target']} needs a {edit['block']} before it"
    settings = ", ".join(f"{key} {value}" for key, value in edit["settings"].items())
    return f"{edit['node']} needs {settings}"


def _input(graph: Graph) -> str:
    return next((name for name, node in graph.nodes.items() if node.block == "Input"), "")


def _last(graph: Graph) -> str:
    """The last layer before the first Output that sets the number of outputs; "" for none."""
    name = next((name for name, node in graph.nodes.items() if node.block == "Output"), "")
    for _ in range(8):
        edges = graph.into(name) if name else ()
        name = edges[0].source if edges else ""
        if not name or has(graph.nodes[name].block, "dense"):
            return name
        if not has(graph.nodes[name].block, *THROUGH):
            return ""
    return ""


def show_next_step(document: Document) -> None:
    """Show the next step: training, or the problem to solve first."""
    fit = training.fit(document)
    problem = training.problem(document.project, fit)
    empty = not document.project.graph.nodes
    with st.container(horizontal=True, vertical_alignment="center", key="data_onward"):
        if problem:
            words = "There is no network yet." if empty else escape_markdown(problem, 400)
            st.markdown(f":material/build: {words}")
            st.page_link(
                state.page("build"),
                label="Draw one on the canvas" if empty else "Open the canvas",
                icon=":material/account_tree:",
                query_params=state.address(),
            )
        else:
            st.markdown(":material/check_circle: The network fits this data.")
            if st.button(
                "Train on this data",
                type="primary",
                icon=":material/play_arrow:",
                key="train_on_data",
            ):
                runs.start_and_show(document)
