"""Metrics of a task as sums over samples, so that batches, epochs and resumed runs just add up."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

import torch
from torch import Tensor
from torch.nn import functional as F

from core.tasks.ctc import edit_distance, greedy_decode
from core.tasks.metric_labels import FEW_CLASSES, recall_name
from core.tasks.readout import Readout
from core.tasks.registry import KINDS, reads_logarithms, reads_logits
from core.tasks.task import Metrics, TargetKind, function_of
from core.tasks.tensor_values import distance, floats, ints


@dataclass(frozen=True)
class Measure:
    """What to tell about outputs beside the loss.

    kind: of the target, as the tasks declare it.
    threshold: output above which a yes is said, 0 for logits; of distances, below which two are of
    a kind.
    unit, middle: factor back to the target's unit, and what is added then. log: outputs are
    logarithms of numbers (PoissonNLLLoss). classes: how many there are where each counts the same,
    so that recalls are measured too; 0 where only samples count.
    """

    kind: str
    threshold: float = 0.0
    unit: float = 1.0
    middle: float = 0.0
    log: bool = False
    classes: int = 0

    @property
    def declared(self) -> TargetKind:
        """The kind of target."""
        return KINDS[self.kind]

    @property
    def readout(self) -> Readout:
        """What the outputs mean."""
        return KINDS[self.kind].readout

    @property
    def _metrics(self) -> Metrics:
        found = KINDS[self.kind].metrics
        assert found is not None, f"targets of the kind {self.kind} have no metrics"
        return found

    @property
    def width(self) -> int:
        """How many sums there are: those of the kind, then samples and right ones of each class."""
        return self._metrics.width + 2 * self.classes

    def sums(self, outputs: Tensor, targets: Tensor) -> list[float]:
        """Sums over samples, `width` of them; waits for the device once."""
        if self._metrics.hits and not self.classes:
            return [targets.numel(), self._hits(outputs, targets).sum().item()]
        return floats(self.rows(outputs, targets).sum(dim=0))

    def rows(self, outputs: Tensor, targets: Tensor) -> Tensor:
        """What each sample adds to the sums, (N, width) float64."""
        if self._metrics.hits:
            hits = self._hits(outputs, targets)
            rows = by_sample(torch.ones_like(targets), hits)
            return torch.cat([rows, *self._of_classes(hits, targets)], dim=1)
        return function_of(self._metrics.rows)(self, outputs, targets)

    def _of_classes(self, hits: Tensor, targets: Tensor) -> list[Tensor]:
        """To which class a sample belongs, and whether that was found; (N, classes) each."""
        if not self.classes:
            return []
        flat = targets.reshape(len(targets)).long()
        seen = F.one_hot(flat, self.classes).double()
        return [seen, seen * hits.reshape(len(targets), 1)]

    def several(self, outputs: Sequence[Tensor], targets: Tensor | None) -> Tensor:
        """The same for vectors that are compared with each other."""
        return function_of(self._metrics.rows)(self, outputs, targets)

    def _hits(self, outputs: Tensor, targets: Tensor) -> Tensor:
        return function_of(self._metrics.hits)(self, outputs, targets)

    def numbers(self, outputs: Tensor) -> Tensor:
        """The numbers that outputs stand for, as targets are given."""
        return outputs.exp() if self.log else outputs

    def predicted(self, outputs: Tensor) -> Tensor:
        """The class of each output, or 1 for each yes and 0 for each no."""
        if KINDS[self.kind].integer:
            return outputs.argmax(dim=1)
        return (outputs > self.threshold).to(outputs.dtype)

    def values(self, sums: list[float]) -> dict[str, float]:
        """Metrics of the sums: accuracy, iou, f1, perplexity, ler (label error rate), mae (in the
        target's unit), r2.
        """
        if not sums[0]:
            return {}
        plain = self._metrics.values(self, sums[: self._metrics.width])
        return plain | recalls(sums[self._metrics.width :]) if self.classes else plain


def recalls(sums: Sequence[float]) -> dict[str, float]:
    """Balanced accuracy, and the recall of each of a few classes; sums: samples, right ones."""
    half = len(sums) // 2
    found = {
        number: right / count
        for number, (count, right) in enumerate(zip(sums[:half], sums[half:], strict=True))
        if count
    }
    each = {recall_name(number): share for number, share in found.items() if half <= FEW_CLASSES}
    return {"balanced": sum(found.values()) / len(found)} | each


def right_classes(measure: Measure, outputs: Tensor, targets: Tensor) -> Tensor:
    """Whether the highest score is that of the right class."""
    return measure.predicted(outputs).reshape(targets.shape) == targets


right_yes_or_no = right_classes


def right_distances(measure: Measure, outputs: Tensor, targets: Tensor) -> Tensor:
    """Whether two of a class (1) are nearer than the threshold, and others (-1) are not."""
    predicted = torch.where(outputs < measure.threshold, 1.0, -1.0)
    return predicted.reshape(targets.shape) == targets


def right_directions(measure: Measure, outputs: Sequence[Tensor], targets: Tensor | None) -> Tensor:
    """Of two vectors: 1, and whether their cosine tells if they are of one class."""
    assert targets is not None
    alike = F.cosine_similarity(outputs[0], outputs[1]) > measure.threshold
    return by_sample(torch.ones_like(alike), alike == (targets > 0))


def nearer(_measure: Measure, outputs: Sequence[Tensor], _targets: Tensor | None) -> Tensor:
    """Of anchor, positive and negative: 1, and whether the positive is the nearer one."""
    near, far = (distance(outputs[0], o, dim=1) for o in outputs[1:])
    return by_sample(torch.ones_like(near), near < far)


def errors(measure: Measure, outputs: Tensor, targets: Tensor) -> Tensor:
    """Of numbers: 1, error, its square, target, its square."""
    y, e = targets.double(), measure.numbers(outputs).double() - targets.double()
    return by_sample(torch.ones_like(y), e.abs(), e * e, y, y * y)


def pixel_errors(measure: Measure, outputs: Tensor, targets: Tensor) -> Tensor:
    """Of pictures: how many values there are, and their errors."""
    predicted = outputs.sigmoid() if measure.threshold == 0.0 else outputs
    return by_sample(torch.ones_like(targets), (predicted - targets).abs())


def token_sums(_measure: Measure, outputs: Tensor, targets: Tensor) -> Tensor:
    """Of texts: how many characters count, are right, and how surprising they are."""
    scores, right = outputs.flatten(0, 1), targets.flatten()
    counted = right >= 0
    hit = (scores.argmax(dim=1) == right) & counted
    surprise = F.cross_entropy(scores, right.clamp_min(0), reduction="none") * counted
    return by_sample(*(part.reshape(targets.shape) for part in (counted, hit, surprise)))


def overlaps(measure: Measure, outputs: Tensor, targets: Tensor) -> Tensor:
    """Of masks and labels: how many are right, and how many are predicted, true, both."""
    predicted, true = measure.predicted(outputs).bool().reshape(targets.shape), targets.bool()
    return by_sample(torch.ones_like(true), predicted == true, predicted & true, predicted | true)


def sequence_edits(_measure: Measure, outputs: Tensor, targets: Tensor) -> Tensor:
    """Of sequences (N, 4): 1, whether all is right, how many edits are needed, and the length."""
    wanted = [ints(row[row > 0]) for row in targets]
    pairs = list(zip(greedy_decode(outputs), wanted, strict=True))
    rows = [
        [1, predicted == true, edit_distance(predicted, true), len(true)]
        for predicted, true in pairs
    ]
    return torch.tensor(rows, dtype=torch.float64, device=outputs.device).reshape(-1, 4)


def predicted_classes(outputs: Tensor, measure: Measure) -> Tensor:
    """The class each output names, (N,)."""
    if KINDS[measure.kind].integer:
        return outputs.argmax(dim=1)
    return (outputs.reshape(len(outputs)) > measure.threshold).long()


def probabilities(outputs: Tensor, predicted: Tensor, measure: Measure) -> Tensor:
    """The probability of each prediction, 0..1, (N,)."""
    if KINDS[measure.kind].integer:
        return outputs.softmax(dim=1).gather(1, predicted[:, None])[:, 0]
    yes = outputs.reshape(len(outputs))
    yes = yes if measure.threshold else yes.sigmoid()
    return torch.where(predicted > 0, yes, 1 - yes)


def measure_of(
    kind: str,
    loss: str,
    settings: Mapping[str, Any],
    unit: float = 1.0,
    middle: float = 0.0,
    classes: int = 0,
) -> Measure | None:
    """The metrics of a kind of target; None where the loss is enough.

    classes: how many there are where each counts the same, for kinds with one class a sample.
    """
    declared = KINDS[kind]
    if declared.metrics is None:
        return None
    threshold = 0.0 if reads_logits(loss) else 0.5
    if declared.threshold:
        threshold = settings.get(declared.threshold, 1.0) / 2
    if not declared.in_unit:
        return Measure(kind, threshold, classes=classes if declared.one_class else 0)
    return Measure(kind, threshold, unit, middle, reads_logarithms(loss, settings))


def by_sample(*parts: Tensor) -> Tensor:
    """Columns of what each sample adds: (N, ...) each, summed over all but the first dimension."""
    flat = [part.double() if part.ndim == 1 else part.flatten(1).double().sum(1) for part in parts]
    return torch.stack(flat, dim=1)


def named(prefix: str, values: Mapping[str, float]) -> dict[str, float]:
    """Metrics under the name of their part of the data: train_accuracy, val_accuracy."""
    return {f"{prefix}_{name}": value for name, value in values.items()}


def as_tuple(outputs: Any) -> tuple[Tensor, ...]:
    """The outputs of a network as a tuple, whether one or several."""
    return cast(tuple[Tensor, ...], outputs) if isinstance(outputs, tuple) else (outputs,)
