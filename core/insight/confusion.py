"""What a module gets wrong: every sample judged, the confusion matrix, the worst mistakes."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from core.insight.quiet import first_tensor, quiet
from core.insight.scores import Confusion, scored

BATCH = 256


@dataclass(frozen=True)
class Judgement:
    """How a module did on samples, in the order given. Tensors have one entry per sample.

    losses: cross entropy for classes, else the mean squared error. predicted, confidence: class
    and its softmax probability, None for tasks without classes. outputs: (K, ...) on the CPU.
    """

    losses: Tensor
    targets: Tensor
    outputs: Tensor
    predicted: Tensor | None = None
    confidence: Tensor | None = None


@dataclass(frozen=True)
class Mistake:
    """One wrong prediction. `index` is the sample's place among those judged."""

    index: int
    true: int
    predicted: int
    confidence: float
    loss: float


def judge(
    module: nn.Module,
    inputs: Tensor | Sequence[Tensor],
    targets: Tensor,
    batch: int = BATCH,
    yes_if_above: float | None = None,
    output: int = 0,
) -> Judgement:
    """Run samples (K, ...) of every Input and measure each; integer targets are classes.

    output: which of several results is measured. Scores (K, T, C) are of texts.

    yes_if_above: for a network with a single output for two classes, where "yes" begins: 0 when
    it gives a logit, 0.5 when it gives a probability.
    """
    with quiet(module):
        columns = [inputs] if isinstance(inputs, Tensor) else inputs
        parts = zip(*(column.split(batch) for column in columns), strict=True)
        outputs = [_picked(module(*part), output) for part in parts]
    return _measured(torch.cat(outputs).cpu().float(), targets.cpu(), yes_if_above)


def _measured(scores: Tensor, targets: Tensor, yes_if_above: float | None) -> Judgement:
    """The loss of each sample, its prediction and confidence where it has a class."""
    if targets.is_floating_point():
        if scores.numel() != targets.numel():
            return Judgement(torch.zeros(len(targets)), targets, scores)
        errors = (scores.reshape(len(targets), -1) - targets.reshape(len(targets), -1)) ** 2
        return Judgement(errors.mean(dim=1), targets, scores)
    if scores.dim() == 3:
        losses = F.cross_entropy(scores.transpose(1, 2), targets, reduction="none")
        return Judgement(losses.mean(dim=1), targets, scores)
    if yes_if_above is not None:
        scores = _two_columns(scores.reshape(-1, 1), yes_if_above)
    chances = scores.log_softmax(dim=1)
    confidence, predicted = chances.exp().max(dim=1)
    losses = F.nll_loss(chances, targets.long(), reduction="none")
    losses = losses.reshape(len(losses), -1).mean(dim=1)
    return Judgement(losses, targets.long(), scores, predicted, confidence)


def _picked(found: Any, output: int) -> Tensor:
    return found[output] if isinstance(found, tuple) and output else first_tensor(found)


def _two_columns(scores: Tensor, yes_if_above: float) -> Tensor:
    logits = scores.logit(eps=1e-7) if yes_if_above else scores
    return torch.cat([torch.zeros_like(logits), logits], dim=1)


def confusion(targets: Tensor, predicted: Tensor, classes: Sequence[str]) -> Confusion:
    """Count true against predicted classes; both (K,) integers below len(classes)."""
    size = len(classes)
    flat = torch.bincount(targets.long() * size + predicted.long(), minlength=size * size)
    return scored(flat.reshape(size, size).tolist(), classes)


def mistakes(judgement: Judgement, count: int = 24) -> list[Mistake]:
    """The wrong predictions with the highest loss first, at most `count`. Needs classes."""
    if judgement.predicted is None or judgement.confidence is None:
        raise ValueError("mistakes needs a classification but receives other targets")
    wrong = (judgement.predicted != judgement.targets).nonzero().flatten()
    order = wrong[judgement.losses[wrong].argsort(descending=True, stable=True)][:count]
    return [
        Mistake(
            index=int(i),
            true=int(judgement.targets[i]),
            predicted=int(judgement.predicted[i]),
            confidence=float(judgement.confidence[i]),
            loss=float(judgement.losses[i]),
        )
        for i in order
    ]


def worst(judgement: Judgement, count: int = 24) -> list[tuple[int, float]]:
    """Samples with the highest loss first, as (index, loss); for any task."""
    order = judgement.losses.argsort(descending=True, stable=True)[:count]
    return [(int(i), float(judgement.losses[i])) for i in order]
