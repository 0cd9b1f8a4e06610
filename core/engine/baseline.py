"""The baseline of a run: what a simple rule reaches on its data (scikit-learn: DummyClassifier)."""

import math
from dataclasses import replace
from typing import Any

from torch import Tensor

from core.data.batches.dataset import Dataset
from core.data.facts.info import DataInfo
from core.data.pictures.pixels import MaskPixels
from core.data.sources.series_settings import time_words
from core.engine.objective import in_reach_of_float64
from core.engine.trainer import Trainer
from core.tasks.baselines import COUNTED, WITHOUT_TARGET, Baseline, Targets, baseline


def baseline_of(engine: Trainer, data: Dataset) -> Baseline | None:
    """What a rule without a network reaches by the metric that a run is judged by, "val_accuracy".

    None where there is no honest rule: networks that play against each other, targets that are
    made batch by batch.
    """
    objective = engine.objective
    term = objective.main
    if term.measure is None or objective.groups or term.constant is not None:
        return None
    if coin := WITHOUT_TARGET.get(term.kind):
        return replace(coin, metric=f"val_{coin.metric}")
    if term.target is None:
        return None
    learned, wanted = (
        _looked_at(part.targets[term.target]) for part in (engine.train, engine.validation)
    )
    if not isinstance(learned, Tensor) or not isinstance(wanted, Tensor):
        return None
    learned, wanted = in_reach_of_float64(learned), in_reach_of_float64(wanted)
    spec = data.info.terms[objective.terms.index(term)]
    inputs = engine.validation.inputs[0]
    known = in_reach_of_float64(inputs) if isinstance(inputs, Tensor) else None
    naive = _naive(data)
    targets = Targets(learned, wanted, known, spec.column, data.classes, term.measure, naive)
    result = baseline(term.kind, targets)
    return result and replace(result, metric=f"val_{result.metric}")


def _looked_at(targets: Tensor) -> Tensor:
    """Targets as a tensor: of masks in a file as many as a rule looks at."""
    column: Any = targets
    if not isinstance(column, MaskPixels):
        return targets
    return column[: max(1, COUNTED // math.prod(column.sample))]


def _naive(data: Dataset) -> dict[str, Tensor]:
    """What rules without a network predict for the validation part, by the value they repeat."""
    return {
        value_before(data.info, back): in_reach_of_float64(values[data.validation_indices])
        for back, values in data.naive.items()
    }


def value_before(info: DataInfo, back: int) -> str:
    """The value so many rows before, in words: "the value of 7 days before"."""
    if back == 1:
        return "the last value"
    step = info.origin.step
    return f"the value of {time_words(back * step) if step else f'{back:,} rows'} before"


def input_scale(engine: Trainer) -> dict[str, float]:
    """Mean and spread of what the first Input receives, {} where that is no numbers."""
    inputs = engine.train.inputs[0]
    if not isinstance(inputs, Tensor) or not inputs.is_floating_point():
        return {}
    some = inputs[: max(2, COUNTED // max(1, inputs[0].numel()))]
    some = in_reach_of_float64(some).double()
    return {"input_mean": float(some.mean()), "input_std": float(some.std())}


def target_range(engine: Trainer) -> dict[str, float]:
    """The least and the largest training target as the loss compares it, {} of no numbers."""
    term = engine.objective.main
    targets = None if term.target is None else engine.train.targets[term.target]
    if not isinstance(targets, Tensor) or not targets.is_floating_point() or not len(targets):
        return {}
    some = in_reach_of_float64(targets[: max(2, COUNTED // max(1, targets[0].numel()))])
    return {"target_min": float(some.min()), "target_max": float(some.max())}
