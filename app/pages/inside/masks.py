"""The colours and scores of the classes of pixels, above the pictures with the largest loss."""

from collections.abc import Mapping

import streamlit as st

from app.markdown import escape_markdown
from app.pages.inside.inspection import LONG_S, Inspection, ask
from app.pages.shared import markup
from app.process.pool import PoolError
from app.services.calls import network
from core.insight.look.view import LookRequest
from core.tasks.registry import counts_pixels

MOST = 40


def show(inspection: Inspection) -> None:
    """Draw a legend where the network predicts the class of each pixel."""
    if inspection.alive or not counts_pixels(inspection.overview["task"]):
        return
    try:
        found = ask(network.look, inspection.ref, LookRequest("masks"), timeout_s=LONG_S)
    except PoolError as error:
        st.caption(escape_markdown(error, 300))
        return
    cells = "".join(map(_cell, found.table[:MOST]))
    st.html(f'<div class="ll-legend" role="list" aria-label="Classes of pixels">{cells}</div>')
    words = f"{found.lines[0].removesuffix(':')}. Each sample: input, prediction, target."
    st.caption(escape_markdown(f"{words[0].upper()}{words[1:]}", 400))


def _cell(row: Mapping[str, str]) -> str:
    colour, name = markup.escape(row["colour"]), markup.escape(row["class"])
    score = f"IoU {row['IoU']}"
    return (
        f'<span role="listitem"><i style="background:{colour}"></i>{name} '
        f"<em>{markup.escape(score)}</em></span>"
    )
