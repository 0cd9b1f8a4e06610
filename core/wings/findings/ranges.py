"""How well one number alone tells the classes: its values cut into ranges by training samples."""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from core.wings.findings.table_view import Floats, Ints

MOST = 0.9
"""What one number may reach of the way from the baseline to all. Brightness of photos of day and
night reaches it; of digits it reaches 0.1."""
LEAST_EACH = 5
"""Samples that validate of a class; of fewer nothing can be told."""


@dataclass(frozen=True)
class OneClass:
    """A class that a number tells from the others. score: the share of validation samples it tells;
    baseline: of always saying the more frequent one. gain: how much of the way between, 0 to 1."""

    label: int
    score: float
    baseline: float

    @property
    def gain(self) -> float:
        """From 0, as good as the more frequent answer, to 1."""
        return (self.score - self.baseline) / (1 - self.baseline) if self.baseline < 1 else 0.0


def by_ranges(values: Floats, labels: Ints, part: Ints, classes: int) -> float:
    """Accuracy on validation samples of the most frequent class of each range of training ones.

    part: (S,) 0 to learn from, 1 to validate. classes: four ranges for each.
    """
    train, asked = part == 0, part == 1
    usual = np.unique(np.quantile(values[train], np.linspace(0, 1, 4 * classes + 1)))
    edges = (-np.inf, *(usual[1:] + usual[:-1]) / 2, np.inf)
    right = 0
    for low, high in pairwise(edges):
        inside = (values >= low) & (values < high)
        known = labels[inside & train]
        if len(known):
            right += int((labels[inside & asked] == np.bincount(known).argmax()).sum())
    return right / int(asked.sum())


def one_class(values: Floats, labels: Ints, part: Ints) -> OneClass:
    """The class that a number tells best from all others."""
    found, every = OneClass(0, 0.0, 1.0), np.unique(labels)
    for label in every:
        inside = labels == label
        share = float(inside[part == 1].mean())
        if min(share, 1 - share) * (part == 1).sum() < LEAST_EACH:
            continue
        score = by_ranges(values, inside * 1, part, len(every))
        one = OneClass(int(label), score, max(share, 1 - share))
        found = max(found, one, key=lambda each: each.gain)
    return found
