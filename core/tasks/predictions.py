"""Predictions and targets of the first validation samples, as arrays to draw.

Of every loss that compares outputs with something, the first of a kind:

seen, true, said          (K, C, H, W), (K, H, W), (K, H, W) pictures and masks, from 0 to 1
lines_true, lines_said    (K, T) series
numbers_true, numbers_said  (M,) numbers in their own unit, or next values of series
numbers_low, numbers_high   (M,) the interval that a network says, where it says one

and what `class_predictions`, `metric_learning` and `text_predictions` have of classes, of pairs and
triplets, of texts.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from torch import Tensor, nn

from core.tasks.metrics import Measure
from core.tasks.registry import KINDS
from core.tasks.samples import SampleInfo
from core.tasks.task import function_of

MASKS, LINES, NUMBERS = 6, 3, 200
Arrays = dict[str, np.ndarray]
Gather = Callable[[], Tensor]


class MeasuredLoss(Protocol):
    """A loss: which outputs it reads, which target it compares them with, and how."""

    @property
    def outputs(self) -> tuple[int, ...]: ...
    @property
    def target(self) -> int | None: ...
    @property
    def measure(self) -> Measure | None: ...


@dataclass(frozen=True)
class Validated:
    """A network and the validation split that it was just run on.

    inputs, targets: columns of the split. outputs: what the network put out, every output for as
    many samples as are kept.
    """

    module: nn.Module
    inputs: Sequence[Tensor]
    targets: Sequence[Tensor]
    outputs: Sequence[Tensor]
    batch_size: int


@dataclass(frozen=True)
class PredictionBatch:
    """What one loss reads after a validation: predictions and targets.

    place: of the first output that it reads. predictions: the outputs that it reads. targets: their
    target, of as many samples, None without one. inputs: gathers what the first samples look like.
    kinds: of pairs and triplets, the classes of the samples that the first of them begin with.
    """

    validated: Validated
    info: SampleInfo
    place: int
    measure: Measure
    predictions: tuple[Tensor, ...]
    targets: Tensor | None
    inputs: Gather
    kinds: Tensor | None = None

    def fed(self, column: str) -> int | None:
        """Which Input receives a column of the data, None where none does."""
        places = (i for i, feed in enumerate(self.info.feeds) if feed.column == column)
        return next(places, None)


def plain(value: Tensor) -> np.ndarray:
    """Numbers as they are kept: floats single, anything else as it is."""
    value = value.detach().cpu()
    return (value.float() if value.is_floating_point() else value).numpy()


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
        arrays = KINDS[loss.measure.kind].arrays if loss.measure else ""
        if not loss.measure or not arrays:
            continue
        outputs = tuple(validated.outputs[index] for index in loss.outputs)
        true = None if loss.target is None else validated.targets[loss.target][: len(outputs[0])]
        batch = PredictionBatch(
            validated, info, loss.outputs[0], loss.measure, outputs, true, inputs, kinds
        )
        found = function_of(arrays)(batch) | found
    return found


def masks(batch: PredictionBatch) -> Arrays:
    """Of masks, and of scores for each pixel."""
    inputs, true, predicted = batch.inputs(), batch.targets, batch.predictions[0]
    if true is None or inputs.ndim != 4 or true.shape[-2:] != inputs.shape[-2:]:
        return {}
    if batch.measure.declared.integer:
        true = true / max(1, predicted.shape[1] - 1)
    predicted = function_of(batch.measure.readout.drawn)(batch.measure, predicted)
    size = inputs.shape[-2:]
    pictures = {
        "true": true.reshape(-1, *size),
        "said": predicted.reshape(-1, *size),
        "seen": inputs,
    }
    return {name: plain(value[:MASKS].float()) for name, value in pictures.items()}


def lines(batch: PredictionBatch) -> Arrays:
    """Of series; of their next values alone as numbers."""
    if batch.targets is None:
        return {}
    true, predicted = batch.targets[:LINES].flatten(1), batch.predictions[0][:LINES].flatten(1)
    if true.shape[1] == 1:
        return numbers(batch)
    return {"lines_true": plain(true), "lines_said": plain(predicted)}


def numbers(batch: PredictionBatch) -> Arrays:
    """Of numbers, in their own unit."""
    if batch.targets is None:
        return {}
    unit, middle = batch.measure.unit, batch.measure.middle
    predicted = batch.measure.numbers(batch.predictions[0])
    found = {"numbers_true": batch.targets, "numbers_said": predicted}
    return {n: plain(v[:NUMBERS].flatten().float()) * unit + middle for n, v in found.items()}
