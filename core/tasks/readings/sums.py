"""Sums that several kinds of targets have."""

import torch
from torch import Tensor
from torch.nn import functional as F

from core.tasks.measure import Measure, by_sample


class RightOrWrong(Measure):
    """The count and how many are right; then the same of each class, where classes count."""

    def hits(self, outputs: Tensor, targets: Tensor) -> Tensor:
        """Which targets are met."""
        return self.predicted(outputs).reshape(targets.shape) == targets

    def sums(self, outputs: Tensor, targets: Tensor) -> list[float]:
        if self.classes:
            return super().sums(outputs, targets)
        return [targets.numel(), self.hits(outputs, targets).sum().item()]

    def rows(self, outputs: Tensor, targets: Tensor) -> Tensor:
        hits = self.hits(outputs, targets)
        rows = by_sample(torch.ones_like(targets), hits)
        return torch.cat([rows, *self._of_classes(hits, targets)], dim=1)

    def _of_classes(self, hits: Tensor, targets: Tensor) -> list[Tensor]:
        """To which class a sample belongs, and whether that was found; (N, classes) each."""
        if not self.classes:
            return []
        flat = targets.reshape(len(targets)).long()
        seen = F.one_hot(flat, self.classes).double()
        return [seen, seen * hits.reshape(len(targets), 1)]


class Overlap(Measure):
    """Of yes or no for many things: how many are right, and how many are predicted, true, both."""

    def rows(self, outputs: Tensor, targets: Tensor) -> Tensor:
        predicted, true = self.predicted(outputs).bool().reshape(targets.shape), targets.bool()
        parts = (predicted == true, predicted & true, predicted | true)
        return by_sample(torch.ones_like(true), *parts)


class Errors(Measure):
    """Of numbers: 1, error, its square, target, its square."""

    def rows(self, outputs: Tensor, targets: Tensor) -> Tensor:
        y, e = targets.double(), self.numbers(outputs).double() - targets.double()
        return by_sample(torch.ones_like(y), e.abs(), e * e, y, y * y)
