"""Beside a verdict: what in the data puts it in doubt, and the way to what mends it."""

import json
from typing import TYPE_CHECKING, Any

import streamlit as st

from app.markdown import escape_markdown
from app.pages.shared import state
from app.process.pool import PoolError
from app.services.project_runs import is_run_of
from app.wings.findings import data as data_page
from core.runs.listing import RunView
from core.runs.verdict import Verdict
from core.wings.findings.run_doubts import data_of_run, doubts, looked_at, sentence

if TYPE_CHECKING:
    from core.wings.findings.finding import DataFinding


def show(view: RunView, verdict: Verdict) -> None:
    """Draw the doubts in the panel of the verdict."""
    try:
        found = _found(view, verdict)
    except PoolError as error:
        st.caption(escape_markdown(_unchecked(error), 300))
        return
    data, _ = data_of_run(view.dir)
    for number, finding in enumerate(found):
        st.warning(escape_markdown(sentence(finding, verdict.value), 300), icon=":material/search:")
        _mend(view, finding, data, number)


def sentences(view: RunView, verdict: Verdict) -> list[str]:
    """The doubts in sentences, or that the data could not be checked."""
    try:
        return [sentence(finding, verdict.value) for finding in _found(view, verdict)]
    except PoolError as error:
        return [_unchecked(error)]


def _found(view: RunView, verdict: Verdict) -> "tuple[DataFinding, ...]":
    """What puts the verdict in doubt. Raises PoolError."""
    data, seed = data_of_run(view.dir)
    if not looked_at(data):
        return ()
    card = data_page.card_of_settings(json.dumps(data, sort_keys=True), seed, view.name)
    return doubts(verdict.kind, card.findings)


def _unchecked(error: PoolError) -> str:
    return f"The data of this run could not be checked: {error}"


def _mend(view: RunView, finding: "DataFinding", data: dict[str, Any], number: int) -> None:
    """A button that mends the project's data, where it is the data of the run."""
    document = state.document()
    if document is None or not finding.mend or not is_run_of(document, view):
        return
    if data_page.plain(document.project.data) != data:
        return
    if st.button(
        escape_markdown(finding.mend.title, 60),
        key=f"doubt_{number}",
        icon=":material/build:",
        help="Changes the data settings and opens Data, where the network is fitted to them.",
    ):
        data_page.mend(document, dict(finding.mend.data))
        state.go("data")
