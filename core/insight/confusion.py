"""Evaluate a module on all validation samples: confusion matrix and worst mistakes."""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from core.engine.feature_maps import losses_per_sample
from core.engine.objective import LossTerm
from core.insight.confusion_scores import Confusion, scored
from core.insight.eval_context import quiet
from core.tasks.measure import predicted_classes, probabilities
from core.tasks.metrics import as_tuple
from core.tasks.tensor_values import nested, split

BATCH = 256


@dataclass(frozen=True)
class Judgement:
    """How a module did on samples, in the order given. Tensors have one entry per sample.

    losses: of the loss it was judged by. predicted, confidence: class and its probability, None
    for tasks without classes. outputs: those that the loss reads, (K, ...) each, on the CPU.
    """

    losses: Tensor
    targets: Tensor | None
    outputs: tuple[Tensor, ...]
    predicted: Tensor | None = None
    confidence: Tensor | None = None


@dataclass(frozen=True)
class Mistake:
    """One wrong prediction. `index`: the sample's index among those evaluated."""

    index: int
    true: int
    predicted: int
    confidence: float
    loss: float


def judge(
    module: nn.Module,
    inputs: Sequence[Tensor],
    targets: Tensor | None,
    aim: LossTerm,
    batch: int = BATCH,
) -> Judgement:
    """Run samples (K, ...) of every Input and measure each by the loss `aim`."""
    with quiet(module):
        parts = zip(*(split(column, batch) for column in inputs), strict=True)
        outputs_of_parts = [as_tuple(module(*part)) for part in parts]
        columns = [
            [each[index].cpu().float() for each in outputs_of_parts] for index in aim.outputs
        ]
        outputs = tuple(map(torch.cat, columns))
        losses = losses_per_sample(aim, outputs, targets)
    if not aim.measure or targets is None or not aim.measure.declared.one_class:
        return Judgement(losses, targets, outputs)
    predicted = predicted_classes(outputs[0], aim.measure)
    sure = probabilities(outputs[0], predicted, aim.measure)
    return Judgement(losses, targets.reshape(-1).long(), outputs, predicted, sure)


def confusion(targets: Tensor, predicted: Tensor, classes: Sequence[str]) -> Confusion:
    """Count true against predicted classes; both (K,) integers below len(classes)."""
    size = len(classes)
    flat = torch.bincount(targets.long() * size + predicted.long(), minlength=size * size)
    return scored(nested(flat.reshape(size, size)), classes)


def mistakes(
    judgement: Judgement, count: int = 24, true: int | None = None, predicted_as: int | None = None
) -> list[Mistake]:
    """The wrong predictions with the highest loss first, at most `count`. Needs classes.

    true, predicted_as: a class, to keep samples or predictions of it; None for any.
    """
    predicted, confidence, targets = judgement.predicted, judgement.confidence, judgement.targets
    if predicted is None or confidence is None or targets is None:
        raise ValueError("mistakes needs a classification but receives other targets")
    chosen = predicted != targets
    if true is not None:
        chosen &= targets == true
    if predicted_as is not None:
        chosen &= predicted == predicted_as
    wrong = chosen.nonzero().flatten()
    order = wrong[judgement.losses[wrong].argsort(descending=True, stable=True)][:count]
    return [
        Mistake(
            index=int(i),
            true=int(targets[i]),
            predicted=int(predicted[i]),
            confidence=float(confidence[i]),
            loss=float(judgement.losses[i]),
        )
        for i in order
    ]


def worst(judgement: Judgement, count: int = 24) -> list[tuple[int, float]]:
    """Samples with the highest loss first, as (index, loss); for any task."""
    order = judgement.losses.argsort(descending=True, stable=True)[:count]
    return [(int(i), float(judgement.losses[i])) for i in order]
