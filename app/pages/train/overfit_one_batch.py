"""The trial "Overfit one batch" on the Train form."""

from typing import Any

import streamlit as st

from app.markdown import escape_markdown
from app.pages.shared import state, svg_plots
from app.process import pool
from app.services import paths
from app.services.calls import training as training_calls
from app.services.document import Document

LIMIT_S = 90.0
HELP = (
    "Trains a copy on 32 samples only. If the network cannot memorise even these, it will not "
    "learn from the full data."
)


def button() -> bool:
    """Draw the button; return whether it was pressed."""
    icon = ":material/fitness_center:"
    return st.button("Overfit one batch", icon=icon, key="overfit", help=HELP)


def found(document: Document) -> Any:
    """The result for exactly this project, or None."""
    made, result = state.value(_key(document)) or (None, None)
    return result if made == _mark(document) else None


def forget(document: Document) -> None:
    """Remove the result."""
    state.take(_key(document))


def _key(document: Document) -> str:
    return f"{document.doc_id}:overfit"


def _mark(document: Document) -> tuple[Any, ...]:
    project = document.project
    return project.graph, project.data, project.training


def learn(document: Document) -> None:
    """Run the trial and store its result. Raises PoolError."""
    given = document.text(), str(paths.runs_dir()), document.beside
    result = pool.call(training_calls.overfit_one_batch, *given, timeout_s=LIMIT_S)
    state.keep(_key(document), (_mark(document), result))


def show(result: dict[str, Any]) -> None:
    """Show whether the batch was memorised, and the loss over the steps."""
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
        st.html(svg_plots.line(steps, result["loss"], words, ticks, size=svg_plots.LARGE))
