"""Pictures that are declared in `core.insight.look` alone: a section of their title shows them."""

import base64
from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from app.markdown import escape_markdown
from app.pages.inside.inspection import LONG_S, Inspection, ask
from app.process.pool import PoolError
from app.services.calls import network
from core.insight.look.view import LookRequest, LookResult, View


def show(view: View, inspection: Inspection) -> None:
    """Draw the controls that it needs, then its picture and its table, else its lines."""
    if inspection.alive:
        st.info("Available when the run has ended.")
        return
    if inspection.overview["problem"]:
        st.info(escape_markdown(inspection.overview["problem"], 300))
        return
    about = f"{view.about[0].upper()}{view.about[1:]}."  # which a help text of a command is not
    st.caption(escape_markdown(about, 300))
    last, sample = inspection.overview["samples"] - 1, 0
    if view.sample:
        key = f"inside:{view.name}:sample"
        sample = st.number_input("Validation sample", 0, max(last, 0), key=key, width=210)
    request = LookRequest(view.name, sample)
    try:
        with st.spinner("Looking inside", show_time=False):
            result = ask(network.look, inspection.ref, request, timeout_s=LONG_S)
    except PoolError as error:  # such as for a network that predicts no class
        st.info(escape_markdown(error, 500))
        return
    _draw(result)


def _draw(result: LookResult) -> None:
    if result.heading:
        st.markdown(escape_markdown(result.heading, 500))
    if result.picture:
        st.image(result.picture)
    if result.table:
        _table(result.table)
    if not (result.heading or result.picture or result.table):
        st.text("\n".join(result.lines))


def _table(rows: Sequence[Mapping[str, Any]]) -> None:
    """Draw a table; cells of bytes are pictures."""
    pictured = {key for row in rows for key, value in row.items() if isinstance(value, bytes)}
    shown = [{k: _image(v) if k in pictured else v for k, v in row.items()} for row in rows]
    columns = {key: st.column_config.ImageColumn(key) for key in pictured}
    st.dataframe(shown, hide_index=True, column_config=columns)


def _image(png: bytes) -> str:
    return f"data:image/png;base64,{base64.b64encode(png).decode()}"
