"""An engine from a module, resolved settings and data, as a run and every check of one makes it."""

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

import torch
from torch import Tensor, nn

from core.data.dataset import Dataset

from .class_weights import count_of
from .engine import Engine
from .objective import Objective, objective_of, weight_of
from .parts import Part
from .with_data import check_with_data

E = TypeVar("E", bound=Engine)
Parts = tuple[Part, Part]


def parts_of(data: Dataset, device: torch.device) -> Parts:
    """Both parts of the data on the device."""
    train, validation = (
        Part(*(tuple(t.to(device) for t in side) for side in part))
        for part in (data.all_training(), data.all_validation())
    )
    return train, validation


def engine_of(
    module: nn.Module,
    training: Mapping[str, Any],
    data: Dataset,
    parts: Parts,
    kind: type[E] = Engine,
) -> E:
    """Make the engine. Raises TrainingError for class weights of another count than classes."""
    objective = whole_objective(training, data, parts[0].targets)
    return kind(module, training, parts, objective, data.spreads)


def whole_objective(
    training: Mapping[str, Any], data: Dataset, targets: Sequence[Tensor]
) -> Objective:
    """The losses of a run, classes weighed by the targets to learn from. Raises TrainingError."""
    weight, given = None, training["class_weights"]
    check_with_data(training, data.info)
    if given:
        weight = weight_of(given, targets[0], count_of(data.info))
    found = objective_of(data.info.terms, training, data.target_std, weight, data.target_mean)
    for aim in found.aims:
        if isinstance(aim.criterion, nn.Module) and targets:
            aim.criterion.to(targets[0].device)  # what it weighs by, beside what it weighs
    return found
