"""How far probabilities can be trusted, under the confusion matrix: calibration and ROC curve."""

from collections.abc import Callable, Mapping
from typing import Any

import streamlit as st

from app.markdown import escape_markdown
from app.pages.inside.inspection import LONG_S, Inspection, ask
from app.pages.shared import svg_plots
from app.process.pool import PoolError
from app.services.calls import network
from core.insight.look.view import LookRequest

ENDS = ((0.0, "0"), (0.5, "0.5"), (1.0, "1"))


def show(inspection: Inspection) -> None:
    """Draw both where the network predicts one class, once somebody wants to see them."""
    if inspection.alive or not inspection.classes:
        return
    if not st.toggle("How far can the probabilities be trusted?", key="inside:certainty"):
        return
    left, right = st.columns(2, gap="large")
    with left:
        _show(inspection, "calibration", _calibration)
    if len(inspection.classes) == 2:
        with right:
            _show(inspection, "roc", _roc)


def _show(inspection: Inspection, what: str, draw: Callable[[Mapping[str, Any]], None]) -> None:
    """Draw one of them, or say why there is none, such as for a single class in validation."""
    try:
        found = ask(network.look, inspection.ref, LookRequest(what), timeout_s=LONG_S)
    except PoolError as error:
        st.caption(escape_markdown(error, 300))
        return
    draw(found.document)


def _calibration(found: Mapping[str, Any]) -> None:
    groups = found["groups"]
    sure = [100 * group["probability"] for group in groups]
    right = [100 * group["right"] for group in groups]
    mean, share = found["mean_probability"], found["share_right"]
    st.markdown(f"**Calibration: off by {found['expected_calibration_error']:.1%} on average**")
    words = f"Percent right over probability in percent, in {len(groups)} groups"
    st.html(svg_plots.line(sure, right, words, _ticks(sure), others=(sure,)))
    st.caption(
        f"Predictions have a mean probability of {mean:.1%}, and {share:.1%} are right: the "
        f"network is {_manner(mean - share)}. Dotted: perfect agreement."
    )


def _manner(over: float) -> str:
    """Too sure by a twentieth is worth a word: less is within chance for a few hundred samples."""
    if abs(over) < 0.05:
        return "about as sure as it should be"
    return "overconfident" if over > 0 else "underconfident"


def _ticks(xs: list[float]) -> list[tuple[float, str]]:
    return [(x, f"{x:.0f} %") for x in {min(xs), max(xs)}]


def _roc(found: Mapping[str, Any]) -> None:
    xs = [point["false_positive_rate"] for point in found["curve"]]
    ys = [point["true_positive_rate"] for point in found["curve"]]
    name, best = escape_markdown(found["positive"], 60), found["at_best"]
    st.markdown(f"**Area under the ROC curve: {found['area']:.3f}**")
    words = "True positive rate over false positive rate"
    st.html(svg_plots.line(xs, ys, words, ENDS, others=(xs,)))
    st.caption(
        f"At a threshold of {found['best_threshold']:.2g}, {best['true_positive_rate']:.1%} of "
        f"{name} are predicted right and {best['false_positive_rate']:.1%} of the others are taken "
        f"for {name}. Dotted: guessing, an area of 0.5."
    )
