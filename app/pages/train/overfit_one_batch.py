"""A button on the Train form that lets a copy of the network learn one batch by heart."""

from typing import Any

import streamlit as st

from app.markdown import escape_markdown
from app.pages.shared import state, svg_plots
from app.process import pool
from app.process.pool import PoolError
from app.services import paths
from app.services.document import Document

LIMIT_S = 90.0
HELP = (
    "Trains a copy on 32 samples only. A network that cannot learn even those by heart will learn "
    "nothing from all of them."
)


def button() -> bool:
    """Draw the button; whether it was pressed just now."""
    icon = ":material/fitness_center:"
    return st.button("Overfit one batch", icon=icon, key="overfit", help=HELP)


def run(document: Document, now: bool) -> None:
    """Learn a batch now, or show what was found for exactly this project."""
    key, project = f"{document.doc_id}:overfit", document.project
    mark = (project.graph, project.data, project.training)
    if now:
        try:
            with st.spinner("Learning one batch by heart"):
                where = str(paths.runs_dir()), document.beside
                result = pool.call(
                    "core.prepare.overfit_one_batch:overfit_one_batch",
                    document.text(),
                    *where,
                    timeout_s=LIMIT_S,
                )
            state.keep(key, (mark, result))
        except PoolError as error:
            st.error(escape_markdown(error, 400), icon=":material/error:")
    made, result = state.value(key) or (None, {})
    if result and made == mark:
        _show(result)


def _show(result: dict[str, Any]) -> None:
    good = result["verdict"] == "by_heart"
    message = escape_markdown(result["message"], 400)
    if good:
        st.success(message, icon=":material/check_circle:")
    else:
        st.warning(message, icon=":material/warning:")
    steps = [float(n) for n in range(1, len(result["loss"]) + 1)]
    if len(steps) > 1:
        words = f"Loss of one batch over {len(steps)} steps."
        ticks = [(1.0, "1"), (steps[-1], f"{len(steps)} steps")]
        st.html(svg_plots.line(steps, result["loss"], words, ticks))
