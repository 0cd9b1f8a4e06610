"""What a module gets wrong: a judgement of every sample, the confusion matrix, the worst mistakes.

A class's precision is the share of its predictions that are right, its recall the share of its
samples that are found (van Rijsbergen, Information Retrieval, 1979); F1 is their harmonic mean.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from core.insight.quiet import first_tensor, quiet

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
class ClassScore:
    """One class of a confusion matrix; a ratio without samples behind it is None."""

    name: str
    samples: int
    precision: float | None
    recall: float | None
    f1: float | None


@dataclass(frozen=True)
class Confusion:
    """counts[true][predicted] over all samples, the share that is right, scores by class."""

    classes: tuple[str, ...]
    counts: tuple[tuple[int, ...], ...]
    accuracy: float
    scores: tuple[ClassScore, ...]


@dataclass(frozen=True)
class Mistake:
    """One wrong prediction. `index` is the sample's place among those judged."""

    index: int
    true: int
    predicted: int
    confidence: float
    loss: float


def judge(module: nn.Module, inputs: Tensor, targets: Tensor, batch: int = BATCH) -> Judgement:
    """Run samples (K, ...) and measure each; integer targets (K,) are classes."""
    with quiet(module):
        outputs = [first_tensor(module(part)) for part in inputs.split(batch)]
    scores = torch.cat(outputs).cpu().float()
    targets = targets.cpu()
    if targets.is_floating_point():
        errors = (scores.reshape(len(targets), -1) - targets.reshape(len(targets), -1)) ** 2
        return Judgement(errors.mean(dim=1), targets, scores)
    chances = scores.log_softmax(dim=1)
    confidence, predicted = chances.exp().max(dim=1)
    losses = F.nll_loss(chances, targets.long(), reduction="none")
    return Judgement(losses, targets.long(), scores, predicted, confidence)


def confusion(targets: Tensor, predicted: Tensor, classes: Sequence[str]) -> Confusion:
    """Count true against predicted classes; both (K,) integers below len(classes)."""
    size = len(classes)
    flat = torch.bincount(targets.long() * size + predicted.long(), minlength=size * size)
    counts = flat.reshape(size, size)
    right = int(counts.diagonal().sum())
    return Confusion(
        classes=tuple(classes),
        counts=tuple(tuple(row) for row in counts.tolist()),
        accuracy=right / max(1, len(targets)),
        scores=tuple(_score(counts, k, name) for k, name in enumerate(classes)),
    )


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


def _score(counts: Tensor, k: int, name: str) -> ClassScore:
    hit, samples, chosen = int(counts[k, k]), int(counts[k].sum()), int(counts[:, k].sum())
    precision = hit / chosen if chosen else None
    recall = hit / samples if samples else None
    f1 = 2 * hit / (samples + chosen) if samples + chosen else None
    return ClassScore(name, samples, precision, recall, f1)
