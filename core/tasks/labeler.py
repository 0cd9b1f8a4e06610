"""Samples, targets and predictions in words, the same for running and finished runs."""

from collections.abc import Sequence
from dataclasses import dataclass

from torch import Tensor

from core.tasks.measure import Measure, single_number
from core.tasks.sample_words import SampleWords


@dataclass(frozen=True)
class Labeler(SampleWords):
    """Text of targets and predictions, too. measure: of the loss whose outputs it reads."""

    measure: Measure | None = None

    def describe_target(self, target: Tensor | None) -> str:
        """What is right for one sample, "" where only a picture could tell."""
        if target is None:
            return self.measure.declared.no_target if self.measure else ""
        return self.measure.true_words(self, target) if self.measure else single_number(target)

    def describe_prediction(self, outputs: Sequence[Tensor], target: Tensor | None) -> str:
        """The prediction for one sample in words, from the outputs that its loss reads."""
        return self.measure.words(self, outputs, target) if self.measure else ""
