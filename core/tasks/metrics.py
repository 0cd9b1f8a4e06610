"""The measure of a loss, by the kind of target that its outputs are held against."""

from collections.abc import Mapping
from typing import Any, cast

from torch import Tensor

from core.tasks.measure import Measure
from core.tasks.readings.catalogue import READINGS
from core.tasks.registry import KINDS, reads_logarithms, reads_logits


def measure_of(
    kind: str,
    loss: str,
    settings: Mapping[str, Any],
    unit: float = 1.0,
    middle: float = 0.0,
    classes: int = 0,
) -> Measure | None:
    """The metrics of a kind of target; None where the loss is enough.

    classes: how many there are where each counts the same, for kinds with one class a sample; and
    for those that measure each class or label.
    """
    declared = KINDS[kind]
    if declared.metrics is None:
        return None
    threshold = 0.0 if reads_logits(loss) else 0.5
    if declared.threshold:
        threshold = settings.get(declared.threshold, 1.0) / 2
    reading = READINGS[kind]
    if not declared.in_unit:
        each = declared.one_class or declared.each_class
        return reading(threshold, classes=classes if each else 0)
    return reading(threshold, unit, middle, reads_logarithms(loss, settings))


def named(prefix: str, values: Mapping[str, float]) -> dict[str, float]:
    """Metrics under the name of their part of the data: train_accuracy, val_accuracy."""
    return {f"{prefix}_{name}": value for name, value in values.items()}


def as_tuple(outputs: Any) -> tuple[Tensor, ...]:
    """The outputs of a network as a tuple, whether one or several."""
    return cast(tuple[Tensor, ...], outputs) if isinstance(outputs, tuple) else (outputs,)
