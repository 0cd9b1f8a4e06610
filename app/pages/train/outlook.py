"""The Train page before the first run: a preview of the charts, the data and the network."""

from collections.abc import Mapping
from typing import Any

import streamlit as st

from app.pages.shared import markup, state, svg_plots
from app.services.document import Document
from app.services.training import Fit
from core.data import DataInfo, steps_per_epoch
from core.settings.schema import defaults
from core.settings.step_settings import StepSettings

STEP = (
    "**Press Train.** The loss of every step appears here while the network trains. After each "
    "epoch you see how well it does on the validation samples."
)


def show(document: Document, fit: Fit, problem: bool) -> None:
    """Draw the outlook. problem: training cannot start; the reason is shown above."""
    markup.style()
    with st.container(key="outlook"):
        st.html(figure())
        if not problem:
            markup.prose(STEP)
        facts = _data(document, fit.info) | _network(document)
        if facts:
            markup.figures(facts)
    if not document.project.graph.nodes:
        st.page_link(
            state.page("build"),
            label="Draw it on the canvas",
            icon=":material/account_tree:",
            query_params=state.address(),
        )


def _data(document: Document, info: DataInfo | None) -> dict[str, str]:
    """How much there is to learn from, once the data fits the network."""
    if info is None:
        return {}
    facts = {"Training samples": f"{info.train_size:,}"}
    facts["Validation samples"] = f"{info.validation_size:,}"
    facts |= {"Test samples": f"{info.test_size:,}"} if info.test_size else {}
    return facts | _steps(document.project.training, info)


def _steps(training: Mapping[str, Any], info: DataInfo) -> dict[str, str]:
    """Steps per epoch, if batch size and accumulation are valid."""
    given = {**defaults(), **training}
    step = StepSettings.of_project(given)
    if step is None or min(step.batch_size, step.batches) < 1:
        return {}
    batches = steps_per_epoch(info.train_size, step.batch_size, given["drop_last"] is True)
    return {"Steps per epoch": f"{step.steps(batches):,}"}


def _network(document: Document) -> dict[str, str]:
    report = document.analysed()
    return {"Parameters": f"{report['total_params']:,}"} if report.get("ok") else {}


FALLING = "M52 28C90 30 104 118 158 132S300 150 420 153"
CHECKED = "M52 44C96 52 112 124 168 138S320 146 420 147"
RISING = "M52 150C92 146 108 66 162 50S300 34 420 31"
PROVED = "M52 152C100 148 116 76 172 62S320 47 420 45"


def figure() -> str:
    """Two charts as they will look, without a number: a loss that falls, a metric that rises."""
    charts = "".join(
        f"<figure><figcaption>{title}</figcaption>{svg_plots.sketch(train, val)}</figure>"
        for title, train, val in (
            ("Loss", FALLING, CHECKED),
            ("Validation metric", RISING, PROVED),
        )
    )
    return f'<div class="ll-outlook">{charts}</div>'
