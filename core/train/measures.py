"""Metrics of a task as sums over samples, so that batches, epochs and resumed runs just add up."""

import math
from collections.abc import Mapping
from dataclasses import dataclass

import torch
from torch import Tensor


@dataclass(frozen=True)
class Measure:
    """What to tell about outputs beside the loss.

    kind: `classes`, `yes_no` (one number per sample), `regression`, `image`, `mask_classes`,
    `mask`. threshold: output above which a yes is said. unit: factor back to the target's unit.
    """

    kind: str
    threshold: float = 0.0
    unit: float = 1.0

    @property
    def width(self) -> int:
        """How many sums there are."""
        return {"classes": 2, "yes_no": 2, "regression": 5, "image": 2}.get(self.kind, 4)

    def sums(self, outputs: Tensor, targets: Tensor) -> list[float]:
        """Sums over samples, `width` of them; waits for the device once."""
        if self.kind in ("classes", "yes_no"):
            said = self._said(outputs).reshape(targets.shape)
            return [targets.numel(), (said == targets).sum().item()]
        if self.kind == "regression":
            y, e = targets.double(), (outputs.double() - targets.double())
            return _listed(y.numel(), e.abs().sum(), (e * e).sum(), y.sum(), (y * y).sum())
        if self.kind == "image":
            return _listed(targets.numel(), (outputs - targets).abs().double().sum())
        said, true = self._said(outputs).bool().reshape(targets.shape), targets.bool()
        both, either = (said & true).sum(), (said | true).sum()
        return _listed(true.numel(), (said == true).sum(), both, either)

    def _said(self, outputs: Tensor) -> Tensor:
        if self.kind in ("classes", "mask_classes"):
            return outputs.argmax(dim=1)
        return (outputs > self.threshold).to(outputs.dtype)

    def values(self, sums: list[float]) -> dict[str, float]:
        """Metrics of the sums: accuracy, iou, mae (in the target's unit), r2."""
        count = sums[0]
        if not count:
            return {}
        if self.kind == "regression":
            spread = sums[4] - sums[3] ** 2 / count
            r2 = 1 - sums[2] / spread if spread > 0 else math.nan
            return {"mae": sums[1] / count * self.unit, "r2": r2}
        if self.kind == "image":
            return {"mae": sums[1] / count}
        accuracy = {"accuracy": sums[1] / count}
        if self.kind in ("classes", "yes_no"):
            return accuracy
        return accuracy | {"iou": sums[2] / sums[3] if sums[3] else 1.0}


def measure_for(task: str, loss: str, targets: Tensor, unit: float = 1.0) -> Measure:
    """Choose the metrics by task, kind of targets, and what the loss takes outputs for."""
    labels = not targets.is_floating_point()
    threshold = 0.0 if loss == "BCEWithLogitsLoss" else 0.5
    if task == "classification":
        return Measure("classes" if labels else "yes_no", threshold)
    if task == "segmentation":
        return Measure("mask_classes" if labels else "mask", threshold)
    return Measure(task, unit=unit)


def _listed(count: int, *parts: Tensor) -> list[float]:
    return [count, *torch.stack([part.double() for part in parts]).tolist()]


def named(prefix: str, values: Mapping[str, float]) -> dict[str, float]:
    """Metrics under the name of their part of the data: train_accuracy, val_accuracy."""
    return {f"{prefix}_{name}": value for name, value in values.items()}
