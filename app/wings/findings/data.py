"""The card at the top of the Data page: what to look at in the data, each with what mends it."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import streamlit as st

from app.markdown import escape_markdown
from app.pages.data.source_form import plain
from app.pages.shared import state
from app.process import pool
from app.process.pool import PoolError
from app.services import data_guess
from app.services.document import Document
from app.wings.findings import calls
from app.wings.findings.cli import things
from core.wings.findings.run_doubts import looked_at

if TYPE_CHECKING:
    from core.wings.findings.card import DataCard
    from core.wings.findings.finding import DataFinding

LOOK_S = 60.0
SHOWN = 5
"""Findings that are shown at once; those below are the lighter ones."""
MENDED = "findings_mended"
ICONS = {"high": ":material/error:", "low": ":material/priority_high:"}
LIGHT = ":material/info:"
_STYLE = Path(__file__).with_name("findings.css")


def show(document: Document, mark: str) -> None:
    """Draw the card, and nothing where there is nothing to look at. mark: changes with the data."""
    data = document.project.data
    if not looked_at(data):
        return
    _back(document)
    try:
        card = card_of_settings(json.dumps(plain(data), sort_keys=True), _seed(document), mark)
    except PoolError as error:
        st.caption(escape_markdown(f"The data could not be checked: {error}", 300))
        return
    if not card.findings:
        return
    st.html(_STYLE)
    with st.container(key="findings", border=True):
        st.markdown(f"**{things(len(card.findings)).capitalize()}**")
        for number, finding in enumerate(card.findings[:SHOWN]):
            _line(document, finding, number)
        if more := card.findings[SHOWN:]:
            with st.expander(f"{len(more)} more"):
                for number, finding in enumerate(more, SHOWN):
                    _line(document, finding, number)
        if card.looked:
            st.caption(escape_markdown(card.looked, 200))


def _line(document: Document, finding: "DataFinding", number: int) -> None:
    """One finding: its sentence, its rows, and the button that mends it."""
    with st.container(horizontal=True, vertical_alignment="center", key=f"finding_{number}"):
        words = escape_markdown(finding.sentence, 500)
        rows = ", ".join(map(str, finding.rows[:8])) or ", ".join(finding.files[:3])
        more = " …" if finding.count > 8 else ""
        where = f"{'Rows' if finding.rows else 'Files'} {rows}{more}" if rows else ""
        told = f"  \n:small[:gray[{escape_markdown(where, 300)}]]" if where else ""
        st.markdown(f"{ICONS.get(finding.doubts, LIGHT)} {words}{told}", width="stretch")
        if finding.mend:
            st.button(
                escape_markdown(finding.mend.title, 60),
                key=f"mend_{number}",
                on_click=mend,
                args=(document, dict(finding.mend.data)),
                type="primary" if number == 0 and finding.doubts else "secondary",
            )


def mend(document: Document, data: dict[str, Any]) -> None:
    """Change the data settings; one click brings the old ones back."""
    before = document.project.data
    document.change(data=data)
    document.form.data_epoch += 1  # so that the form shows the settings
    state.keep(MENDED, (document.doc_id, before, document.project.data))


def _back(document: Document) -> None:
    """Offer the settings before a mend, as long as those after it are unchanged."""
    doc_id, before, after = state.value(MENDED) or ("", None, None)
    if doc_id == document.doc_id and after == document.project.data:
        st.button(
            "Undo the change of the data settings",
            icon=":material/undo:",
            key="findings_undo",
            type="tertiary",
            on_click=_restore,
            args=(document, before),
        )


def _restore(document: Document, before: Any) -> None:
    state.take(MENDED)
    document.change(data=before)
    document.form.data_epoch += 1


def _seed(document: Document) -> int:
    seed = document.project.training.get("seed", 0)
    return seed if isinstance(seed, int) else 0


@st.cache_data(max_entries=16, show_spinner=False)
def card_of_settings(text: str, seed: int, mark: str) -> "DataCard":
    """The card of data settings as JSON, made in a worker process. mark: changes with the data.

    Raises PoolError.
    """
    size = data_guess.bytes_of(json.loads(text))
    return pool.read(size, calls.card_of, text, seed, timeout_s=LOOK_S)
