"""Outputs that are scores of classes, or of labels."""

import torch
from torch import Tensor

from core.tasks.class_predictions import classes, labels
from core.tasks.classification import CLASSES, YES_NO
from core.tasks.gan import JUDGED
from core.tasks.labels import LABELS
from core.tasks.measure import Measure, Outputs, by_sample
from core.tasks.prediction_batch import Arrays, PredictionBatch
from core.tasks.readings.sums import Overlap, RightOrWrong
from core.tasks.readout import Score
from core.tasks.sample_words import SampleWords
from core.tasks.tensor_values import floats, ints


class ClassScores(RightOrWrong):
    """A score for each of several classes, of which one is right."""

    declared = CLASSES

    def names(self, naming: SampleWords, output: Tensor) -> list[str]:
        return class_names(naming) or super().names(naming, output)

    def likeliest(self, output: Tensor, position: int) -> int:
        return int(output.reshape(-1).argmax())

    def probabilities(self, outputs: Tensor) -> Tensor:
        return outputs.reshape(len(outputs), -1).softmax(dim=1)

    def scores(
        self, naming: SampleWords, output: Tensor, target: Tensor | None
    ) -> tuple[Score, ...]:
        right = set[int]() if target is None else {int(target.reshape(-1)[0])}
        return scores_of(self, naming, output, right, {self.likeliest(output, -1)})

    def true_words(self, naming: SampleWords, target: Tensor) -> str:
        return naming.info.classes[int(target.reshape(-1)[0])]

    def arrays(self, batch: PredictionBatch) -> Arrays:
        return classes(self, batch)


class YesNo(ClassScores):
    """One output for two classes: of the second, the first has what is left."""

    declared = YES_NO

    def select(self, outputs: Tensor, number: int, position: int) -> Tensor:
        yes = outputs.flatten(1)[:, 0] if outputs.ndim > 1 else outputs
        return yes if number else -yes

    def likeliest(self, output: Tensor, position: int) -> int:
        return int(float(output.reshape(-1)[0]) > self.threshold)

    def probabilities(self, outputs: Tensor) -> Tensor:
        yes = self.from_0_to_1(outputs.reshape(len(outputs), -1))[:, :1]
        return torch.cat([1 - yes, yes], dim=1)

    def scores(
        self, naming: SampleWords, output: Tensor, target: Tensor | None
    ) -> tuple[Score, ...]:
        right = set[int]() if target is None else {int(target.reshape(-1)[0] > 0.5)}
        return scores_of(self, naming, output, right, {self.likeliest(output, -1)})


class Labels(Overlap):
    """A score for each of several labels, of which any may be right."""

    declared = LABELS

    @property
    def width(self) -> int:
        """Sums of the kind, then of each label how often both are yes, and each of the two."""
        return self._metrics.width + 2 * self.classes

    def rows(self, outputs: Tensor, targets: Tensor) -> Tensor:
        predicted, true = self.predicted(outputs).bool().reshape(targets.shape), targets.bool()
        whole = (predicted == true).flatten(1).all(1)
        found = [super().rows(outputs, targets), by_sample(torch.ones_like(whole), whole)]
        if self.classes:
            found += [(predicted & true).double(), predicted.double() + true.double()]
        return torch.cat(found, dim=1)

    def values(self, sums: list[float]) -> dict[str, float]:
        return self._metrics.values(self, sums) if sums[0] else {}

    def names(self, naming: SampleWords, output: Tensor) -> list[str]:
        return class_names(naming) or super().names(naming, output)

    def likeliest(self, output: Tensor, position: int) -> int:
        return int(output.reshape(-1).argmax())

    def probabilities(self, outputs: Tensor) -> Tensor:
        return self.from_0_to_1(outputs.reshape(len(outputs), -1))

    def scores(
        self, naming: SampleWords, output: Tensor, target: Tensor | None
    ) -> tuple[Score, ...]:
        right = set[int]() if target is None else _places(target.reshape(-1) > 0.5)
        chosen = _places(output.reshape(-1) > self.threshold)
        return scores_of(self, naming, output, right, chosen)

    def words(self, naming: SampleWords, outputs: Outputs, target: Tensor | None) -> str:
        return naming.labels(outputs[0] > self.threshold)

    def true_words(self, naming: SampleWords, target: Tensor) -> str:
        return naming.labels(target > 0.5)

    def drawn(self, outputs: Tensor) -> Tensor:
        return self.from_0_to_1(outputs)

    def arrays(self, batch: PredictionBatch) -> Arrays:
        return labels(self, batch)


class Judged(RightOrWrong):
    """How real the network finds a sample."""

    declared = JUDGED

    def words(self, naming: SampleWords, outputs: Outputs, target: Tensor | None) -> str:
        return f"a score of {float(outputs[0].reshape(-1)[0]):.2f}"


def class_names(naming: SampleWords) -> list[str]:
    """The classes or labels that the data names."""
    return [str(name) for name in naming.info.classes]


def scores_of(
    measure: Measure, naming: SampleWords, output: Tensor, right: set[int], chosen: set[int]
) -> tuple[Score, ...]:
    """The probability of each class or label; () where the data names others."""
    shares = measure.probabilities(output.reshape(1, -1))
    names, values = naming.info.classes, [] if shares is None else floats(shares[0])
    if len(names) != len(values):
        return ()
    return tuple(
        Score(str(name), value, k in right, k in chosen)
        for k, (name, value) in enumerate(zip(names, values, strict=True))
    )


def _places(chosen: Tensor) -> set[int]:
    return set(ints(chosen.nonzero().flatten()))
