"""Metrics and objective of a network with one output and one target, for tests and benchmarks."""

from collections.abc import Mapping
from typing import Any

from torch import Tensor

from core.engine.objective import LossTerm, Objective, criterion_of
from core.tasks.metrics import Measure, measure_of
from core.tasks.registry import TASKS


def measure_for(task: str, loss: str, targets: Tensor, unit: float = 1.0) -> Measure:
    """Choose the metrics of one output by task and kind of targets."""
    integer = not targets.is_floating_point()
    kinds = [k for k in TASKS[task].kinds if k.metrics and k.outputs == 1]
    kind = next((k for k in kinds if k.integer == integer), kinds[0])
    measure = measure_of(kind.name, loss, {}, unit)
    assert measure is not None
    return measure


def single_loss(training: Mapping[str, Any], measure: Measure) -> Objective:
    """The objective of a network with one output and one target."""
    criterion = criterion_of(training["loss"], training["loss_settings"])
    return Objective([LossTerm("output", criterion, measure=measure)])
