"""Metrics of a task as sums over samples, so that batches, epochs and resumed runs just add up."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional as F

from core.tasks.ctc import edit_distance, greedy_decode

WIDTHS = {
    "classes": 2,
    "yes_no": 2,
    "judged": 2,
    "labels": 4,
    "regression": 5,
    "series": 5,
    "image": 2,
    "tokens": 3,
    "pair": 2,
    "cosine": 2,
    "triplet": 2,
}
HITS = ("classes", "yes_no", "judged", "pair")
"""Kinds of which only the right answers are counted."""
RIGHT = ("classes", "yes_no", "judged", "pair", "cosine", "triplet")


@dataclass(frozen=True)
class Measure:
    """What to tell about outputs beside the loss.

    kind: `classes`, `yes_no` (one number per sample), `labels` (one for each label), `regression`,
    `series`, `image`, `mask_classes`, `mask`, `tokens` (scores for each place of a text), `judged`
    (one number, held against 0 or 1), `pair` (a distance), `cosine` and `triplet` (vectors),
    `sequence` (log-probabilities at every step, read greedily).
    threshold: output above which a yes is said, 0 for logits; of distances, below which two are of
    a kind.
    unit, middle: factor back to the target's unit, and what is added then. log: outputs are
    logarithms of numbers (PoissonNLLLoss).
    """

    kind: str
    threshold: float = 0.0
    unit: float = 1.0
    middle: float = 0.0
    log: bool = False

    @property
    def width(self) -> int:
        """How many sums there are."""
        return WIDTHS.get(self.kind, 4)

    def sums(self, outputs: Tensor, targets: Tensor) -> list[float]:
        """Sums over samples, `width` of them; waits for the device once."""
        if self.kind in HITS:
            return [targets.numel(), self._hits(outputs, targets).sum().item()]
        return self.rows(outputs, targets).sum(dim=0).tolist()

    def rows(self, outputs: Tensor, targets: Tensor) -> Tensor:
        """What each sample adds to the sums, (N, width) float64."""
        if self.kind in HITS:
            return _by_sample(torch.ones_like(targets), self._hits(outputs, targets))
        if self.kind in ("regression", "series"):
            y, e = targets.double(), self.numbers(outputs).double() - targets.double()
            return _by_sample(torch.ones_like(y), e.abs(), e * e, y, y * y)
        if self.kind == "image":
            said = outputs.sigmoid() if self.threshold == 0.0 else outputs
            return _by_sample(torch.ones_like(targets), (said - targets).abs())
        if self.kind == "tokens":
            return self._tokens(outputs, targets)
        if self.kind == "sequence":
            return _sequences(outputs, targets)
        return self._both(outputs, targets)

    def numbers(self, outputs: Tensor) -> Tensor:
        """The numbers that outputs stand for, as targets are given."""
        return outputs.exp() if self.log else outputs

    def several(self, outputs: Sequence[Tensor], targets: Tensor | None) -> Tensor:
        """The same for vectors that are compared with each other."""
        if targets is None:
            near, far = (torch.linalg.vector_norm(outputs[0] - o, dim=1) for o in outputs[1:])
            return _by_sample(torch.ones_like(near), near < far)
        alike = F.cosine_similarity(outputs[0], outputs[1]) > self.threshold
        return _by_sample(torch.ones_like(alike), alike == (targets > 0))

    def _hits(self, outputs: Tensor, targets: Tensor) -> Tensor:
        if self.kind == "pair":
            said = torch.where(outputs < self.threshold, 1.0, -1.0)
            return said.reshape(targets.shape) == targets
        return self._said(outputs).reshape(targets.shape) == targets

    def _tokens(self, outputs: Tensor, targets: Tensor) -> Tensor:
        scores, right = outputs.flatten(0, 1), targets.flatten()
        counted = right >= 0
        hit = (scores.argmax(dim=1) == right) & counted
        surprise = F.cross_entropy(scores, right.clamp_min(0), reduction="none") * counted
        return _by_sample(*(part.reshape(targets.shape) for part in (counted, hit, surprise)))

    def _both(self, outputs: Tensor, targets: Tensor) -> Tensor:
        """Of masks and labels: how many are right, and how many are said, true, both."""
        said, true = self._said(outputs).bool().reshape(targets.shape), targets.bool()
        return _by_sample(torch.ones_like(true), said == true, said & true, said | true)

    def _said(self, outputs: Tensor) -> Tensor:
        if self.kind in ("classes", "mask_classes"):
            return outputs.argmax(dim=1)
        return (outputs > self.threshold).to(outputs.dtype)

    def values(self, sums: list[float]) -> dict[str, float]:
        """Metrics of the sums: accuracy, iou, f1, perplexity, ler (label error rate), mae (in the
        target's unit), r2.
        """
        count = sums[0]
        if not count:
            return {}
        if self.kind in ("regression", "series"):
            spread = sums[4] - sums[3] ** 2 / count
            r2 = 1 - sums[2] / spread if spread > 0 else math.nan
            return {"mae": sums[1] / count * self.unit, "r2": r2}
        if self.kind == "image":
            return {"mae": sums[1] / count}
        accuracy = {"accuracy": sums[1] / count}
        if self.kind in RIGHT:
            return accuracy
        if self.kind == "tokens":
            return accuracy | {"perplexity": math.exp(min(sums[2] / count, 100.0))}
        if self.kind == "sequence":
            return accuracy | {"ler": sums[2] / sums[3] if sums[3] else 0.0}
        if self.kind == "labels":
            whole = sums[2] + sums[3]
            return accuracy | {"f1": 2 * sums[2] / whole if whole else 1.0}
        return accuracy | {"iou": sums[2] / sums[3] if sums[3] else 1.0}


def _sequences(outputs: Tensor, targets: Tensor) -> Tensor:
    """Of sequences (N, 4): 1, whether all is right, how many edits are needed, and the length."""
    wanted = [row[row > 0].tolist() for row in targets]
    pairs = list(zip(greedy_decode(outputs), wanted, strict=True))
    rows = [[1, said == true, edit_distance(said, true), len(true)] for said, true in pairs]
    return torch.tensor(rows, dtype=torch.float64, device=outputs.device).reshape(-1, 4)


def measure_of(
    kind: str, loss: str, settings: Mapping[str, Any], unit: float = 1.0, middle: float = 0.0
) -> Measure | None:
    """The metrics of a kind of target; None where the loss says everything."""
    if kind == "itself":
        return None
    threshold = 0.0 if loss in ("BCEWithLogitsLoss", "MultiLabelSoftMarginLoss") else 0.5
    if kind == "pair":
        threshold = settings.get("margin", 1.0) / 2
    if kind != "regression":
        return Measure(kind, threshold)
    log = loss == "PoissonNLLLoss" and bool(settings.get("log_input", True))
    return Measure(kind, threshold, unit, middle, log)


def measure_for(task: str, loss: str, targets: Tensor, unit: float = 1.0) -> Measure:
    """Choose the metrics of one output by task and kind of targets."""
    labels = not targets.is_floating_point()
    kinds = {"classification": ("yes_no", "classes"), "segmentation": ("mask", "mask_classes")}
    found = measure_of(kinds.get(task, (task, task))[labels], loss, {}, unit)
    assert found is not None
    return found


def _by_sample(*parts: Tensor) -> Tensor:
    """Columns of what each sample adds: (N, ...) each, summed over all but the first dimension."""
    flat = [part.double() if part.ndim == 1 else part.flatten(1).double().sum(1) for part in parts]
    return torch.stack(flat, dim=1)


def named(prefix: str, values: Mapping[str, float]) -> dict[str, float]:
    """Metrics under the name of their part of the data: train_accuracy, val_accuracy."""
    return {f"{prefix}_{name}": value for name, value in values.items()}
