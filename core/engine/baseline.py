"""The baseline of a run: what a simple rule reaches on its data (scikit-learn: DummyClassifier)."""

from dataclasses import replace

from torch import Tensor

from core.data.batches.dataset import Dataset
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
    learned, wanted = (part.targets[term.target] for part in (engine.train, engine.validation))
    if not isinstance(learned, Tensor) or not isinstance(wanted, Tensor):
        return None
    learned, wanted = in_reach_of_float64(learned), in_reach_of_float64(wanted)
    spec = data.info.terms[objective.terms.index(term)]
    inputs = engine.validation.inputs[0]
    known = in_reach_of_float64(inputs) if isinstance(inputs, Tensor) else None
    targets = Targets(learned, wanted, known, spec.column, data.classes, term.measure)
    result = baseline(term.kind, targets)
    return result and replace(result, metric=f"val_{result.metric}")


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
