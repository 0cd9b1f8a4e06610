"""The setting class_weights: a factor for each class or label (torch: `weight`). No torch."""

import math
from typing import Any

from core.common.errors import TrainingError
from core.common.json_types import is_array
from core.tasks.registry import TASKS

PLACE = "training.class_weights"
HINT = 'Write "balanced", or a list with one number for each class, such as [1, 20].'


def class_weights(
    value: Any, loss: str, task: str, several: bool
) -> str | tuple[float, ...] | None:
    """Check the setting. Raises TrainingError naming what it needs."""
    if value is None:
        return None
    if several:
        message = f"{PLACE} applies to training.loss, but the project has training.losses."
        raise TrainingError(PLACE, message, "Remove class_weights.")
    weighed = weighed_by(task)
    if not weighed:
        message = f"{PLACE} needs classes or labels but the task is {task}."
        raise TrainingError(PLACE, message, "Remove class_weights.")
    *others, last = weighed
    if loss not in weighed:
        message = f"{PLACE} needs {', '.join(others)} or {last} but the loss is {loss}."
        raise TrainingError(PLACE, message, "Change the loss, or remove class_weights.")
    if value == "balanced":
        return "balanced"
    if not is_array(value) or not value:
        raise TrainingError(PLACE, f"{PLACE} needs balanced or a list of numbers.", HINT)
    for index, number in enumerate(value):
        good = type(number) in (int, float) and math.isfinite(number) and number >= 0
        if not good:
            message = f"{PLACE}[{index}] needs a number of at least 0 but receives {number!r:.60}."
            raise TrainingError(PLACE, message, HINT)
    if not any(value):
        raise TrainingError(PLACE, f"{PLACE} are all 0, so the network would learn nothing.", HINT)
    return tuple(float(number) for number in value)


def weighed_by(task: str) -> tuple[str, ...]:
    """Losses that take a weight for each class or label of a task, () where it has none."""
    return TASKS[task].weighed if task in TASKS else ()


def count_of(info: Any) -> int:
    """How many classes the targets of a description of data have: paper and stroke in a mask."""
    return TASKS[info.task].class_count or len(info.classes)
