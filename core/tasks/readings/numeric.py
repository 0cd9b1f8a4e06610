"""Outputs that are numbers: one, quantiles of it, or a series."""

import torch
from torch import Tensor

from core.tasks.forecast import FORECAST
from core.tasks.measure import Measure, Outputs, by_sample, number_words
from core.tasks.prediction_batch import Arrays, PredictionBatch, plain
from core.tasks.quantiles import QUANTILES
from core.tasks.readings.sums import Errors
from core.tasks.regression import REGRESSION
from core.tasks.sample_words import SampleWords
from core.tasks.series import SERIES

LINES, NUMBERS = 3, 200
"""So many are drawn while a network trains."""
SHOWN = 6  # of the values of a forecast in words: more do not fit into a line


class OneNumber(Errors):
    """One number of each sample, in the target's own unit."""

    declared = REGRESSION

    def words(self, naming: SampleWords, outputs: Outputs, target: Tensor | None) -> str:
        return number_words(self.numbers(outputs[0]), self.unit, self.middle)

    def arrays(self, batch: PredictionBatch) -> Arrays:
        return number_arrays(self, batch)


class Series(Errors):
    """The next values of a series, or one."""

    declared = SERIES

    def select(self, outputs: Tensor, number: int, position: int) -> Tensor:
        """A step of a series, of (N, T, ...)."""
        return outputs.reshape(len(outputs), outputs.shape[1], -1)[:, position, 0]

    def names(self, naming: SampleWords, output: Tensor) -> list[str]:
        return ["0"]

    def drawn(self, outputs: Tensor) -> Tensor:
        return outputs

    def arrays(self, batch: PredictionBatch) -> Arrays:
        """Lines; of next values alone numbers."""
        if batch.targets is None:
            return {}
        true, predicted = batch.targets[:LINES].flatten(1), batch.predictions[0][:LINES].flatten(1)
        if true.shape[1] == 1:
            return number_arrays(self, batch)
        return {"lines_true": plain(true), "lines_said": plain(predicted)}


class Forecast(Errors):
    """The next values of a column, (N, ahead) or one, in their own unit."""

    declared = FORECAST

    def names(self, naming: SampleWords, output: Tensor) -> list[str]:
        return [f"{step} ahead" for step in range(1, max(output.numel(), 1) + 1)]

    def words(self, naming: SampleWords, outputs: Outputs, target: Tensor | None) -> str:
        return self._all(self.numbers(outputs[0]))

    def true_words(self, naming: SampleWords, target: Tensor) -> str:
        return self._all(target)

    def _all(self, values: Tensor) -> str:
        """The values one after the other; of many the first and the last."""
        words = [number_words(value, self.unit, self.middle) for value in values.flatten()]
        return ", ".join(words if len(words) <= SHOWN else [*words[: SHOWN - 2], "…", words[-1]])

    def arrays(self, batch: PredictionBatch) -> Arrays:
        """The first value after each window of the validation part, one after the other, (1, M)."""
        if batch.targets is None:
            return {}
        drawn = {"lines_true": batch.targets, "lines_said": self.numbers(batch.predictions[0])}
        return {
            name: plain(values[:NUMBERS].flatten(1)[None, :, 0].float()) * self.unit + self.middle
            for name, values in drawn.items()
        }


def number_arrays(measure: Measure, batch: PredictionBatch) -> Arrays:
    """Numbers, in their own unit."""
    if batch.targets is None:
        return {}
    predicted = measure.numbers(batch.predictions[0])
    found = {"numbers_true": batch.targets, "numbers_said": predicted}
    return {
        name: plain(value[:NUMBERS].flatten().float()) * measure.unit + measure.middle
        for name, value in found.items()
    }


class Quantiles(Measure):
    """Quantiles of a number, (N, Q): the first and the last are its interval."""

    declared = QUANTILES

    def rows(self, outputs: Tensor, targets: Tensor) -> Tensor:
        """(N, 5): 1, the error of the middle one, whether the number lies between the first and the
        last, how far these are apart, and whether any two are in the wrong order.
        """
        low, middle, high = outputs[:, 0], outputs[:, outputs.shape[1] // 2], outputs[:, -1]
        truth, crossed = targets[:, 0], (outputs.diff(dim=1) < 0).any(dim=1)
        covered, error = (low <= truth) & (truth <= high), (middle - truth).abs()
        return by_sample(torch.ones_like(truth), error, covered, high - low, crossed)

    def words(self, naming: SampleWords, outputs: Outputs, target: Tensor | None) -> str:
        values = outputs[0]
        chosen = (values[0], values[len(values) // 2], values[-1])
        low, middle, high = (number_words(each, self.unit, self.middle) for each in chosen)
        return f"{low} to {high}, middle {middle}"

    def arrays(self, batch: PredictionBatch) -> Arrays:
        """The middle quantile as a number, and the first and the last as its interval."""
        if batch.targets is None:
            return {}
        predicted = batch.predictions[0][:NUMBERS]
        found = {
            "numbers_true": batch.targets[:NUMBERS, 0],
            "numbers_said": predicted[:, predicted.shape[1] // 2],
            "numbers_low": predicted[:, 0],
            "numbers_high": predicted[:, -1],
        }
        unit, middle = self.unit, self.middle
        return {name: plain(value.float()) * unit + middle for name, value in found.items()}
