"""Forecasts of a series beside what came, above the largest errors."""

import streamlit as st

from app.markdown import escape_markdown
from app.pages.inside.inspection import LONG_S, Inspection, ask
from app.pages.shared import svg_plots
from app.process.pool import PoolError
from app.services.calls import network
from core.insight.look.view import LookRequest
from core.tasks.registry import of_windows


def show(inspection: Inspection) -> None:
    """Draw the forecasts of the validation part, and the error of each step ahead."""
    if inspection.alive or not of_windows(inspection.overview["task"]):
        return
    try:
        found = ask(network.look, inspection.ref, LookRequest("forecast"), timeout_s=LONG_S)
    except PoolError as error:
        st.caption(escape_markdown(error, 300))
        return
    true, predicted = (found.document["first_step"][key] for key in ("true", "predicted"))
    name = escape_markdown(found.document["target"], 60)
    st.markdown(f"**{name}: the first value after each of the last {len(true):,} windows**")
    xs = [float(number) for number in range(1, len(true) + 1)]
    ticks = [(1.0, "1"), (xs[-1], f"{len(true):,}")]
    words = "Line: forecast. Dotted: what came."
    st.html(svg_plots.line(xs, predicted, words, ticks, others=[true], size=svg_plots.LARGE))
    st.caption(f"{words} Windows of the validation part, in time.")
    st.markdown("**Mean absolute error, by how far ahead**")
    st.dataframe(
        [{key: float(f"{value:.4g}") for key, value in row.items()} for row in found.table],
        hide_index=True,
    )
