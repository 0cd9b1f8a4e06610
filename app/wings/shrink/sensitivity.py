"""Sensitivity of blocks: a table, and the drawing with sensitive blocks in red."""

from pathlib import Path

import streamlit as st

from app.markdown import escape_markdown
from app.pages.shared import graph_thumbnail, markup
from app.wings.shrink import service as shrinking
from core.common.errors import ProjectError, RunError
from core.project import open_project
from core.wings.shrink import files
from core.wings.shrink.block_sensitivity import BlockSensitivity, Sensitivity, read_sensitivity
from core.wings.shrink.words import SENSITIVITY_HEADER, sensitivity_cells

COLD, HOT, PLAIN = (176, 190, 214), (214, 69, 65), "#c9cbd6"
"""Colours of an insensitive block, of the most sensitive one, and of one without weights."""
WHAT = {"Half of its weights pruned": "half", "Weights and outputs in 8 bits": "int8"}


def show(run: Path, weights: str, idle: bool) -> None:
    """Draw the sensitivity of the blocks, or the button that measures it."""
    st.subheader("Sensitivity of blocks")
    sensitivity = read_sensitivity(files.read_sensitivity_file(run, weights))
    if sensitivity is None:
        st.markdown(
            "Quantises one block at a time to 8 bits, and prunes half of its weights. If "
            "the metric falls, leave that block unchanged."
        )
        if st.button(
            "Measure each block", icon=":material/thermostat:", key="shrink_ask", disabled=not idle
        ):
            _begin(run)
        return
    what = WHAT[
        st.radio(
            "Change to the block",
            list(WHAT),
            horizontal=True,
            key="shrink_what",
            label_visibility="collapsed",
        )
    ]
    _drawing(run, sensitivity, what)
    heads = "".join(
        f"<th{' class=n' * (i > 1)}>{head}</th>" for i, head in enumerate(SENSITIVITY_HEADER)
    )
    rows = "".join(_row(sensitivity, block) for block in sensitivity.blocks)
    st.html(f'<table class="ll-table"><tr>{heads}</tr>{rows}</table>')


def _begin(run: Path) -> None:
    try:
        shrinking.begin(run, [], None)
    except RunError as error:
        st.error(escape_markdown(error, 400), icon=":material/error:")
        return
    st.rerun()


def _drawing(run: Path, sensitivity: Sensitivity, what: str) -> None:
    """The drawing of the run, coloured by the sensitivity of the blocks."""
    try:
        graph = open_project(run / "project.loom.json").graph
    except (ProjectError, OSError):  # a run that came without its project: the table stays
        return
    minds: dict[str, float] = {}
    for block in sensitivity.blocks:
        node = block.path.partition(".")[0]
        minds[node] = max(minds.get(node, 0.0), _mind(sensitivity, block, what))
    most = max(minds.values(), default=0.0) or 1.0
    colours = {
        node: _colour(minds[node] / most) if node in minds else PLAIN for node in graph.nodes
    }
    worst = max(minds, key=lambda node: minds[node], default="none")
    words = f"The redder a block, the more sensitive it is. Most sensitive: {worst}."
    st.html(graph_thumbnail.wide_image(graph, colours, words))
    st.caption(escape_markdown(words))


def _mind(sensitivity: Sensitivity, block: BlockSensitivity, what: str) -> float:
    """Sensitivity of a block: the loss of metric plus a tenth of the changed predictions."""
    changed = getattr(block, f"{what}_changed") or 0.0
    return sensitivity.harm(block, what) + changed / 10


def _colour(share: float) -> str:
    mixed = (round(a + (b - a) * share) for a, b in zip(COLD, HOT, strict=True))
    return "#" + "".join(f"{part:02x}" for part in mixed)


def _row(sensitivity: Sensitivity, block: BlockSensitivity) -> str:
    cells = (markup.escape(cell) for cell in sensitivity_cells(sensitivity, block))
    return (
        "<tr>"
        + "".join(
            f'<td class="n">{cell}</td>' if i > 1 else f"<td>{cell}</td>"
            for i, cell in enumerate(cells)
        )
        + "</tr>"
    )
