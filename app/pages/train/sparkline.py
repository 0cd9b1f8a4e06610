"""A run as one small line: its validation metric, epoch by epoch."""

from pathlib import Path
from typing import Any

import streamlit as st

from app.pages.shared.svg_plots import LINE, as_image
from core.runs import curves
from core.runs.history import History
from core.runs.listing import RunView
from core.tasks.metric_labels import metric_words

WIDTH, HEIGHT, EDGE = 96.0, 24.0, 2.0
METRICS = ("val_accuracy", "val_loss")
"""The first that a run has is drawn."""


def sparkline(view: RunView) -> str:
    """An <img> of the line, "" for a run of fewer than two epochs."""
    path = view.dir / "metrics.jsonl"
    try:
        stamp = path.stat().st_mtime_ns
    except OSError:
        return ""
    metric, values = _values(str(path), view.attempt, stamp)
    if len(values) < 2:
        return ""
    low, high = min(values), max(values)
    across, up = (WIDTH - 2 * EDGE) / (len(values) - 1), (HEIGHT - 2 * EDGE) / ((high - low) or 1)
    points = " ".join(
        f"{EDGE + i * across:.1f},{HEIGHT - EDGE - (value - low) * up:.1f}"
        for i, value in enumerate(values)
    )
    svg = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH:g} {HEIGHT:g}">'
        f'<polyline points="{points}" fill="none" stroke="{LINE}" stroke-width="1.5" '
        'stroke-linejoin="round"/></svg>'
    )
    return as_image(svg, f"{metric_words(metric, view.aims)} of {len(values)} epochs", WIDTH)


@st.cache_data(max_entries=256, show_spinner=False)
def _values(path: str, attempt: int, stamp: int) -> tuple[str, list[float]]:
    """The metric and its finite values. stamp: changes when the file does."""
    epochs = [each for each in _records(Path(path), attempt) if each["kind"] == "epoch"]
    for metric in METRICS:
        column = [value for each in epochs for value in each.get(metric, [])]
        values = [float(v) for v in column if isinstance(v, int | float)]
        if values:
            return metric, values
    return METRICS[0], []


def _records(path: Path, attempt: int) -> list[dict[str, Any]]:
    """The thinned metrics. Of a long run what its worker keeps beside them: a list of runs must
    not read all that each has written."""
    if path.stat().st_size >= curves.FROM_BYTES:
        kept = curves.read_window(path, attempt)
        return kept[0] if kept else []
    history = History(path)
    history.refresh(attempt)
    return history.window()
