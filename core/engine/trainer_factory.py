"""Trainers made from a run's settings and data."""

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

import torch
from torch import Tensor, nn

from core.data.batches.dataset import Dataset
from core.data.batches.epochs import balanced
from core.data.pictures.pixels import in_memory
from core.engine.loader import DeviceSplit, Rows
from core.engine.objective import Objective, objective_of, term_weight
from core.engine.trainer import Trainer
from core.settings.class_balance import counts_each_class
from core.settings.class_weights import count_of
from core.settings.data_checks import check_with_data
from core.settings.sampler import class_column

E = TypeVar("E", bound=Trainer)
Parts = tuple[DeviceSplit, DeviceSplit]


def split_on_device(data: Dataset, device: torch.device) -> Parts:
    """Both parts of the data on the device."""
    return on_device(data.all_training(), device), on_device(data.all_validation(), device)


def on_device(part: Rows, device: torch.device) -> DeviceSplit:
    """A part of the data on the device."""
    return DeviceSplit(*(tuple(in_memory(t).to(device) for t in side) for side in part))


def trainer_from_settings(
    module: nn.Module,
    training: Mapping[str, Any],
    data: Dataset,
    parts: Parts,
    kind: type[E] = Trainer,
) -> E:
    """Make the engine. Raises TrainingError for class weights of another count than classes."""
    objective = whole_objective(training, data, parts[0].targets)
    weights = _draw_weights(training, data, parts[0].targets)
    return kind(module, training, parts, objective, data.noise_levels, weights)


def _draw_weights(
    training: Mapping[str, Any], data: Dataset, targets: Sequence[Tensor]
) -> Tensor | None:
    """How likely each sample to learn from is drawn, where that follows its class."""
    place = class_column(data.info)
    if training.get("sampler") != "balanced" or place is None:
        return None
    return balanced(targets[place])


def whole_objective(
    training: Mapping[str, Any], data: Dataset, targets: Sequence[Tensor]
) -> Objective:
    """The losses of a run, classes weighed by the targets to learn from. Raises TrainingError."""
    weight, class_weights = None, training["class_weights"]
    check_with_data(training, data.info)
    if class_weights:
        weight = term_weight(class_weights, targets[0], count_of(data.info))
    info, of_numbers = data.info, (data.target_std, weight, data.target_mean)
    each = counts_each_class(training, info.task, info.rare)
    objective = objective_of(info.terms, training, *of_numbers, len(info.classes) if each else 0)
    for aim in objective.terms:
        if isinstance(aim.criterion, nn.Module) and targets:
            aim.criterion.to(targets[0].device)  # what it weighs by, beside what it weighs
    return objective
