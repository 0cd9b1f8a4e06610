"""Metrics that several kinds of targets have, and how a script adds them up. No torch."""

import math
from collections.abc import Callable
from typing import Any

from core.tasks.task import Metrics, ScriptMetrics


def accuracy(_measure: Any, sums: list[float]) -> dict[str, float]:
    """The share of what is right; sums: count, right."""
    return {"accuracy": sums[1] / sums[0]}


def _accuracy_and_iou(measure: Any, sums: list[float]) -> dict[str, float]:
    return accuracy(measure, sums) | {"iou": sums[2] / sums[3] if sums[3] else 1.0}


def _mae_and_r2(measure: Any, sums: list[float]) -> dict[str, float]:
    count, misses, squares, whole, power = sums
    spread = power - whole**2 / count
    r2 = 1 - squares / spread if spread > 0 else math.nan
    return {"mae": misses / count * measure.unit, "r2": r2}


def correct(line: str, *before: str) -> ScriptMetrics:
    """The accuracy where each sample is right or wrong. line: which of a batch are right."""
    lines = (*before, f"right += {line}.sum().item()")
    return ScriptMetrics(lines, ("right",), {"accuracy": "right / len(columns[0])"}, line)


def right_or_wrong(script: ScriptMetrics) -> Metrics:
    """The accuracy."""
    return Metrics(2, accuracy, script)


def _yes_and_no(
    predicted: str, name: str, share: str, values: Callable[[Any, list[float]], dict[str, float]]
) -> Metrics:
    """Of yes and no for many things: how many are right, and how well the yes agree."""
    lines = (
        f"predicted, wanted = {predicted}, {{target}}.bool()",
        "right += (predicted == wanted).sum().item()",
        "count += wanted.numel()",
        "both += (predicted & wanted).sum().item()",
        "either += (predicted | wanted).sum().item()",
    )
    metrics = {"accuracy": "right / count", name: share}
    script = ScriptMetrics(lines, ("right", "count", "both", "either"), metrics)
    return Metrics(4, values, script)


def overlap(predicted: str) -> Metrics:
    """Accuracy and intersection over union of masks. predicted: which pixels the outputs mark."""
    return _yes_and_no(predicted, "iou", "both / max(1, either)", _accuracy_and_iou)


ABOVE = "{0} > {threshold}"
NUMBERS = Metrics(
    5,
    _mae_and_r2,
    ScriptMetrics(
        (
            "truth, errors = {target}.double(), {number} - {target}.double()",
            "count += truth.numel()",
            "misses += errors.abs().sum().item()",
            "squares += errors.square().sum().item()",
            "whole += truth.sum().item()",
            "power += truth.square().sum().item()",
        ),
        ("count", "misses", "squares", "whole", "power"),
        {
            "mae": "misses / count{unit}",
            "r2": "1 - squares / max(1e-12, power - whole * whole / count)",
        },
    ),
)
"""Mean absolute error and R² of numbers."""
