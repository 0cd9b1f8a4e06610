"""Checks of the settings sampler and drop_last against task and data. No torch."""

from collections.abc import Mapping
from typing import Any

from core.common.errors import TrainingError
from core.tasks.registry import TASKS

SAMPLERS = ("shuffle", "sequential", "balanced")
PLACE = "training.sampler"
MOST = 1 << 24  # samples that torch.multinomial chooses among


def check_sampler(sampler: str, task: str) -> None:
    """Check that a task supports the sampler. Raises TrainingError."""
    if sampler == "balanced" and not TASKS[task].one_class:
        message = f"{PLACE} balanced needs one class for each sample but the task is"
        raise TrainingError(PLACE, f"{message} {task}.", "Choose shuffle.")


def check_batches(training: Mapping[str, Any], info: Any) -> None:
    """Check that there are batches, and classes for a balanced sampler. Raises TrainingError.

    training: resolved. info: the description of the data.
    """
    size, samples = training["batch_size"], info.train_size
    if training.get("drop_last") and samples < size:
        message = f"training.drop_last leaves no batch to train on: {samples:,} samples, batch_size"
        hint = f"Set batch_size to {samples} or less, or drop_last to false."
        raise TrainingError("training.drop_last", f"{message} {size:,}.", hint)
    if training.get("sampler") != "balanced":
        return
    if class_column(info) is None:
        message = f"{PLACE} balanced needs an Output whose target is the class of a sample."
        raise TrainingError(PLACE, message, "Choose shuffle.")
    if samples >= MOST:
        message = (
            f"{PLACE} balanced needs fewer than {MOST:,} samples (a limit of torch) but receives"
        )
        raise TrainingError(PLACE, f"{message} {samples:,}.", "Set data.limit, or choose shuffle.")


def class_column(info: Any) -> int | None:
    """Which of the targets to learn from, from 0, holds the class of each sample."""
    columns = [term.column for term in info.terms if term.column]
    return columns.index("label") if "label" in columns else None
