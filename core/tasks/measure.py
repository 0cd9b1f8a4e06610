"""Outputs that are held against one kind of target: measured, explained, put into words, drawn.

Metrics are sums over samples, so that batches, epochs and resumed runs just add up.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor

from core.tasks.metric_labels import FEW_CLASSES, plain, recall_name
from core.tasks.prediction_batch import Arrays, PredictionBatch
from core.tasks.readout import Readout, Score
from core.tasks.sample_words import SampleWords
from core.tasks.task import Metrics, TargetKind
from core.tasks.tensor_values import floats

Outputs = Sequence[Tensor]


@dataclass(frozen=True)
class Measure:
    """How outputs of one kind of target are read. Each kind has a class of its own.

    declared: the kind. The methods here are for a kind that has none of its own: its outputs are
    numbers without names, which are neither put into words nor drawn.

    In methods, N is the batch, which `outputs` has and `output`, of one sample, has not. Only
    `several` and `words` receive all Outputs that a loss reads. position: of a token or of a step
    of a series, -1 for an output without positions.

    threshold: output above which a yes is said, 0 for logits; of distances, below which two are of
    a kind.
    unit, middle: factor back to the target's unit, and what is added then. log: outputs are
    logarithms of numbers (PoissonNLLLoss). classes: how many there are where each counts the same,
    so that recalls are measured too; 0 where only samples count.
    """

    declared: ClassVar[TargetKind]

    threshold: float = 0.0
    unit: float = 1.0
    middle: float = 0.0
    log: bool = False
    classes: int = 0

    @property
    def kind(self) -> str:
        """The name of the kind of target."""
        return self.declared.name

    @property
    def readout(self) -> Readout:
        """What the outputs mean."""
        return self.declared.readout

    @property
    def _metrics(self) -> Metrics:
        found = self.declared.metrics
        assert found is not None, f"targets of the kind {self.kind} have no metrics"
        return found

    # ---- metrics

    @property
    def width(self) -> int:
        """How many sums there are: those of the kind, then samples and right ones of each class."""
        return self._metrics.width + 2 * self.classes

    def rows(self, outputs: Tensor, targets: Tensor) -> Tensor:
        """What each sample adds to the sums, (N, width) float64."""
        return self.several((outputs,), targets)

    def several(self, outputs: Outputs, targets: Tensor | None) -> Tensor:
        """The same of all Outputs that a loss reads; targets are None where it has none."""
        raise NotImplementedError(f"{type(self).__name__} measures nothing")

    def sums(self, outputs: Tensor, targets: Tensor) -> list[float]:
        """Sums over samples, `width` of them; waits for the device once."""
        return floats(self.rows(outputs, targets).sum(dim=0))

    def values(self, sums: list[float]) -> dict[str, float]:
        """Metrics of the sums: accuracy, iou, f1, perplexity, ler (label error rate), mae (in the
        target's unit), r2.
        """
        if not sums[0]:
            return {}
        found = self._metrics.values(self, sums[: self._metrics.width])
        return found | recalls(sums[self._metrics.width :]) if self.classes else found

    def numbers(self, outputs: Tensor) -> Tensor:
        """The numbers that outputs stand for, as targets are given."""
        return outputs.exp() if self.log else outputs

    def predicted(self, outputs: Tensor) -> Tensor:
        """The class of each output, or 1 for each yes and 0 for each no."""
        if self.declared.integer:
            return outputs.argmax(dim=1)
        return (outputs > self.threshold).to(outputs.dtype)

    def from_0_to_1(self, outputs: Tensor) -> Tensor:
        """How sure a yes is: through a sigmoid where a yes is an output above 0."""
        return outputs if self.threshold else outputs.sigmoid()

    # ---- one score, to be explained

    def select(self, outputs: Tensor, number: int, position: int) -> Tensor:
        """The score with this number, (N,): a value of each output, counted through all of them."""
        return outputs.reshape(len(outputs), -1)[:, number]

    def names(self, naming: SampleWords, output: Tensor) -> list[str]:
        """What the scores are called, in their order: their places."""
        return [str(k) for k in range(max(output.numel(), 1))]

    def likeliest(self, output: Tensor, position: int) -> int:
        """The number of the predicted score; the first, where none is rather than another."""
        return 0

    def position(self, output: Tensor, target: Tensor | None) -> int:
        """The position that is explained where none is chosen: the last."""
        return len(output) - 1

    # ---- the answer about one sample

    def scores(
        self, naming: SampleWords, output: Tensor, target: Tensor | None
    ) -> tuple[Score, ...]:
        """All classes or labels; () for a kind without, and where the data has others."""
        return ()

    def next_scores(
        self, naming: SampleWords, output: Tensor, target: Tensor | None, count: int
    ) -> tuple[Score, ...]:
        """Of a text that goes on, the likeliest characters after its end; () for anything else."""
        return ()

    def words(self, naming: SampleWords, outputs: Outputs, target: Tensor | None) -> str:
        """The prediction, "" where scores or a picture say it."""
        return ""

    def true_words(self, naming: SampleWords, target: Tensor) -> str:
        """What is right."""
        return single_number(target, self.unit, self.middle)

    # ---- numbers

    def probabilities(self, outputs: Tensor) -> Tensor | None:
        """The probability of each class or label, (N, C); None for a kind without."""
        return None

    def in_unit(self, outputs: Tensor) -> Tensor:
        """The first number of each output, (N,), in the target's own unit."""
        numbers = self.numbers(outputs).reshape(len(outputs), -1)[:, 0]
        return numbers * self.unit + self.middle

    def lines(self, target: Tensor, output: Tensor) -> tuple[list[float], list[float]]:
        """Target and prediction of one series, in the target's own unit."""
        true, predicted = (
            floats(each.flatten() * self.unit + self.middle)
            for each in (target, self.numbers(output))
        )
        return true, predicted

    # ---- pictures

    def picture(self, output: Tensor) -> Tensor | None:
        """What is predicted, with the values of the target; None for what is no picture."""
        return None

    def drawn(self, outputs: Tensor) -> Tensor | None:
        """What is drawn beside the target while a network trains; None for nothing."""
        return None

    def arrays(self, batch: PredictionBatch) -> Arrays:
        """Arrays to draw, as `core.tasks.predictions` has them; {} where there are none."""
        return {}


def single_number(target: Tensor, unit: float = 1.0, middle: float = 0.0) -> str:
    """A target of one number in its own unit, "" for more of them."""
    return number_words(target, unit, middle) if target.numel() == 1 else ""


def number_words(value: Tensor, unit: float, middle: float) -> str:
    """A number in its own unit."""
    return plain(float(value.reshape(-1)[0]) * unit + middle)


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


def predicted_classes(outputs: Tensor, measure: Measure) -> Tensor:
    """The class each output names, (N,)."""
    if measure.declared.integer:
        return outputs.argmax(dim=1)
    return (outputs.reshape(len(outputs)) > measure.threshold).long()


def class_probabilities(outputs: Tensor, measure: Measure) -> Tensor:
    """The probability of each class, 0..1, (N, C); of a yes or no that of the no and of the yes."""
    if measure.declared.integer:
        return outputs.softmax(dim=1)
    yes = measure.from_0_to_1(outputs.reshape(len(outputs)))
    return torch.stack([1 - yes, yes], dim=1)


def probabilities(outputs: Tensor, predicted: Tensor, measure: Measure) -> Tensor:
    """The probability of each prediction, 0..1, (N,)."""
    each = class_probabilities(outputs, measure)
    return each.gather(1, predicted.long()[:, None])[:, 0]


def by_sample(*parts: Tensor) -> Tensor:
    """Columns of what each sample adds: (N, ...) each, summed over all but the first dimension."""
    flat = [part.double() if part.ndim == 1 else part.flatten(1).double().sum(1) for part in parts]
    return torch.stack(flat, dim=1)
