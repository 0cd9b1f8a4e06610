"""The confusion matrix and what follows from it, from counts alone. No torch.

A class's precision is the share of its predictions that are right, its recall the share of its
samples that are found (van Rijsbergen, Information Retrieval, 1979); F1, called Dice where pixels
are counted, is their harmonic mean. Intersection over union is the share that is both, of what is
of a class or predicted as it.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True)
class ClassScore:
    """One class of a confusion matrix; a ratio without samples behind it is None."""

    name: str
    samples: int
    precision: float | None
    recall: float | None
    f1: float | None
    iou: float | None = None


@dataclass(frozen=True)
class Confusion:
    """counts[true][predicted] over all samples, the share that is right, scores by class. things:
    what is counted."""

    classes: tuple[str, ...]
    counts: tuple[tuple[int, ...], ...]
    accuracy: float
    scores: tuple[ClassScore, ...]
    things: str = "samples"

    def json(self) -> dict[str, Any]:
        """The matrix as JSON values."""
        return {
            "classes": list(self.classes),
            "counts": [list(row) for row in self.counts],
            "accuracy": self.accuracy,
            "scores": [asdict(score) for score in self.scores],
        }


def scored(counts: Sequence[Sequence[int]], classes: Sequence[str]) -> Confusion:
    """Work out the scores of counts[true][predicted], a square with a row for each class."""
    chosen = [sum(row[k] for row in counts) for k in range(len(classes))]
    right = sum(row[k] for k, row in enumerate(counts))
    return Confusion(
        classes=tuple(classes),
        counts=tuple(tuple(row) for row in counts),
        accuracy=right / max(1, sum(chosen)),
        scores=tuple(
            _score(name, row[k], sum(row), chosen[k])
            for k, (name, row) in enumerate(zip(classes, counts, strict=True))
        ),
    )


def _score(name: str, hit: int, samples: int, chosen: int) -> ClassScore:
    precision = hit / chosen if chosen else None
    recall = hit / samples if samples else None
    f1 = 2 * hit / (samples + chosen) if samples + chosen else None
    either = samples + chosen - hit
    return ClassScore(name, samples, precision, recall, f1, hit / either if either else None)
