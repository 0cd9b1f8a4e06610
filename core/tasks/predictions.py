"""Predictions and targets of the first validation samples, as arrays to draw.

Of every loss that compares outputs with something, the first of a kind:

seen, true, said          (K, C, H, W), (K, H, W), (K, H, W) pictures and masks, from 0 to 1
classes_true, classes_said  (K, H, W) the class of each pixel, below 0 for none, beside `seen`
lines_true, lines_said    (K, T) series
numbers_true, numbers_said  (M,) numbers in their own unit, or next values of series
numbers_low, numbers_high   (M,) the interval that a network says, where it says one

and what `class_predictions`, `metric_learning` and `text_predictions` have of classes, of pairs and
triplets, of texts.
"""

from collections.abc import Sequence
from typing import Protocol

from torch import Tensor

from core.tasks.measure import Measure
from core.tasks.prediction_batch import Arrays, Gather, PredictionBatch, Validated
from core.tasks.samples import SampleInfo


class MeasuredLoss(Protocol):
    """A loss: which outputs it reads, which target it compares them with, and how."""

    @property
    def outputs(self) -> tuple[int, ...]: ...
    @property
    def target(self) -> int | None: ...
    @property
    def measure(self) -> Measure | None: ...


def predictions(
    losses: Sequence[MeasuredLoss],
    validated: Validated,
    info: SampleInfo,
    inputs: Gather,
    kinds: Tensor | None = None,
) -> Arrays:
    """Gather it after a validation; {} where there is nothing to draw.

    inputs, kinds: as `PredictionBatch` has them.
    """
    found: Arrays = {}
    for loss in losses:
        if not loss.measure:
            continue
        outputs = tuple(validated.outputs[index] for index in loss.outputs)
        true = None if loss.target is None else validated.targets[loss.target][: len(outputs[0])]
        batch = PredictionBatch(validated, info, loss.outputs[0], outputs, true, inputs, kinds)
        found = loss.measure.arrays(batch) | found
    return found
