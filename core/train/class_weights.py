"""The setting class_weights: how much each class counts in the loss. No torch is imported."""

import math
from typing import Any

from .errors import TrainingError

PLACE = "training.class_weights"
WEIGHED = ("CrossEntropyLoss", "NLLLoss", "MultiMarginLoss")
"""Losses that take torch's `weight`, one number for each class."""
TASKS = ("classification", "segmentation")
HINT = 'Write "balanced", or a list with a number for each class.'


def class_weights(
    value: Any, loss: str, task: str, several: bool
) -> str | tuple[float, ...] | None:
    """Check the setting. Raises TrainingError naming what it needs."""
    if value is None:
        return None
    if several:
        message = f"{PLACE} belongs to training.loss, but there are training.losses."
        raise TrainingError(PLACE, message, "Leave class_weights out.")
    if task not in TASKS:
        message = f"{PLACE} needs classes but the task is {task}."
        raise TrainingError(PLACE, message, "Leave class_weights out.")
    if loss not in WEIGHED:
        message = (
            f"{PLACE} needs {', '.join(WEIGHED[:-1])} or {WEIGHED[-1]} but the loss is {loss}."
        )
        raise TrainingError(PLACE, message, "Change the loss, or leave class_weights out.")
    if value == "balanced":
        return "balanced"
    if not isinstance(value, list | tuple) or not value:
        raise TrainingError(PLACE, f"{PLACE} is neither balanced nor a list of numbers.", HINT)
    for index, number in enumerate(value):
        good = type(number) in (int, float) and math.isfinite(number) and number >= 0
        if not good:
            message = f"{PLACE}[{index}] needs a number of at least 0 but receives {number!r:.60}."
            raise TrainingError(PLACE, message, HINT)
    if not any(value):
        raise TrainingError(PLACE, f"{PLACE} are all 0, so nothing would be learnt.", HINT)
    return tuple(float(number) for number in value)


def count_of(info: Any) -> int:
    """How many classes the targets of a description of data have: paper and stroke in a mask."""
    return 2 if info.task == "segmentation" else len(info.classes)


def check_count(weights: Any, classes: int) -> None:
    """Whether a list has a number for each class. Raises TrainingError with both counts."""
    if isinstance(weights, list | tuple) and len(weights) != classes:
        message = f"{PLACE} has {len(weights)} numbers but the data has {classes} classes."
        raise TrainingError(PLACE, message, "Write one number for each class, in their order.")
