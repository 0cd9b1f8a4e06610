"""Pictures that are declared in `core.insight.look` alone: a section of their title shows them."""

import streamlit as st

from app.markdown import escape_markdown
from app.pages.inside.inspection import LONG_S, Inspection, ask
from app.services.calls import network
from core.insight.look.view import LookRequest, View


def show(view: View, inspection: Inspection) -> None:
    """Draw the controls that it needs, then its picture and its table, else its lines."""
    if inspection.alive:
        st.info("Available when the run has ended.")
        return
    if inspection.overview["problem"]:
        st.info(escape_markdown(inspection.overview["problem"], 300))
        return
    st.caption(escape_markdown(view.about, 300))
    last, sample = inspection.overview["samples"] - 1, 0
    if view.sample:
        key = f"inside:{view.name}:sample"
        sample = st.number_input("Validation sample", 0, max(last, 0), key=key, width=210)
    request = LookRequest(view.name, sample)
    with st.spinner("Looking inside", show_time=False):
        result = ask(network.look, inspection.ref, request, timeout_s=LONG_S)
    if result.picture:
        st.image(result.picture)
    if result.table:
        st.dataframe(list(result.table), hide_index=True)
    if not result.picture and not result.table:
        st.text("\n".join(result.lines))
