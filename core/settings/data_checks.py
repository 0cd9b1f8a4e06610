"""Validation of resolved loss settings against the data: lengths of lists, targets. No torch."""

from collections.abc import Mapping
from typing import Any

from core.common.errors import TrainingError
from core.common.json_types import is_array
from core.settings.class_weights import PLACE, count_of
from core.settings.sampler import check_batches
from core.tasks.registry import TASKS, has_trait


def check_with_data(training: Mapping[str, Any], info: Any) -> None:
    """Whether lists have a number for each class or label, targets are counts where a loss needs
    them, and there are batches to learn from. Raises TrainingError.

    training: resolved. info: the description of the data.
    """
    check_target(training, info)
    check_batches(training, info)
    word = TASKS[info.task].class_word
    _check_count(PLACE, training["class_weights"], count_of(info), word)
    for index, term in enumerate(info.terms):
        settings = term.settings if term.loss else training["loss_settings"]
        key = f"training.losses[{index}].settings" if term.loss else "training.loss_settings"
        _check_yes(f"{key}.pos_weight", settings.get("pos_weight"), term.kind, info)


def check_target(training: Mapping[str, Any], info: Any) -> None:
    """Whether targets stay the counts that a loss of counts needs. Raises TrainingError."""
    losses = (term.loss or training["loss"] for term in info.terms)
    counted = next((loss for loss in losses if has_trait(loss, "counts")), "")
    if counted and info.standardised_target:
        message = f"{counted} needs counts, but data.normalize standardises the targets."
        raise TrainingError("training.loss", message, "Set data.normalize to false.")


def _check_count(key: str, numbers: Any, count: int, one: str) -> None:
    if is_array(numbers) and len(numbers) != count:
        things = "labels" if one == "label" else "classes"
        message = f"{key} has {len(numbers)} numbers but the data has {count} {things}."
        raise TrainingError(key, message, f"Write one number for each {one}, in their order.")


def _check_yes(key: str, numbers: Any, kind: str, info: Any) -> None:
    if is_array(numbers) and kind != "labels":
        message = f"{key} is a list, but the samples of {info.source} have no labels to count."
        raise TrainingError(key, message, "Write one number.")
    _check_count(key, numbers, len(info.classes), "label")
