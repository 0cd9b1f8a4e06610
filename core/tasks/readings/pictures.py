"""Outputs that are pictures: the sample drawn again, or a mask of it."""

import torch
from torch import Tensor

from core.tasks.image import IMAGE
from core.tasks.measure import Measure, by_sample
from core.tasks.prediction_batch import Arrays, PredictionBatch, plain
from core.tasks.readings.sums import Overlap
from core.tasks.sample_words import SampleWords
from core.tasks.segmentation import MASK, MASK_CLASSES
from core.tasks.semantic import PIXEL_CLASSES

MASKS = 6
"""So many are drawn while a network trains."""


class DrawnAgain(Measure):
    """The sample itself."""

    declared = IMAGE

    def rows(self, outputs: Tensor, targets: Tensor) -> Tensor:
        """How many values there are, and their errors."""
        errors = (self.from_0_to_1(outputs) - targets).abs()
        return by_sample(torch.ones_like(targets), errors)

    def picture(self, output: Tensor) -> Tensor:
        return self.from_0_to_1(output)

    def drawn(self, outputs: Tensor) -> Tensor:
        return self.from_0_to_1(outputs)


class Mask(Overlap):
    """A value for each pixel."""

    declared = MASK

    def select(self, outputs: Tensor, number: int, position: int) -> Tensor:
        """The mean over a channel, of (N, C, H, W)."""
        return outputs[:, number].flatten(1).mean(dim=1)

    def names(self, naming: SampleWords, output: Tensor) -> list[str]:
        return ["0"]

    def picture(self, output: Tensor) -> Tensor:
        """Which pixels are predicted, 0 or 1."""
        return (output > self.threshold).float()

    def drawn(self, outputs: Tensor) -> Tensor:
        return self.from_0_to_1(outputs)

    def arrays(self, batch: PredictionBatch) -> Arrays:
        inputs, true = batch.inputs(), batch.targets
        if true is None or inputs.ndim != 4 or true.shape[-2:] != inputs.shape[-2:]:
            return {}
        size, predicted = inputs.shape[-2:], self.drawn(batch.predictions[0])
        pictures = {
            "true": self.drawn_target(true, batch.predictions[0]).reshape(-1, *size),
            "said": predicted.reshape(-1, *size),
            "seen": inputs,
        }
        return {name: plain(value[:MASKS].float()) for name, value in pictures.items()}

    def drawn_target(self, targets: Tensor, outputs: Tensor) -> Tensor:
        """The target as `drawn` has the prediction."""
        return targets


class MaskOfClasses(Mask):
    """A score for each class at each pixel."""

    declared = MASK_CLASSES

    def names(self, naming: SampleWords, output: Tensor) -> list[str]:
        """The classes of a mask (C, ...), or their numbers where the data names others."""
        names = [str(name) for name in naming.info.classes]
        return names if len(names) == len(output) else [str(k) for k in range(len(output))]

    def likeliest(self, output: Tensor, position: int) -> int:
        """The channel with the highest mean."""
        return int(output.flatten(1).mean(dim=1).argmax())

    def picture(self, output: Tensor) -> Tensor:
        """The likeliest class of each pixel of (C, ...), as a number."""
        return output.argmax(0).float()

    def drawn(self, outputs: Tensor) -> Tensor:
        """The class of each pixel of (N, C, ...), as brightness: 0 is the first, 1 the last."""
        return outputs.argmax(dim=1) / max(1, outputs.shape[1] - 1)

    def drawn_target(self, targets: Tensor, outputs: Tensor) -> Tensor:
        return targets / max(1, outputs.shape[1] - 1)


def pixel_counts(outputs: Tensor, targets: Tensor, classes: int) -> Tensor:
    """How many pixels of each class have each prediction, (classes, classes) int64.

    outputs: (N, classes, H, W); targets: (N, H, W), below 0 where a pixel is of no class.
    """
    known, predicted = targets >= 0, outputs.argmax(dim=1)
    pairs = targets[known] * classes + predicted[known]
    return torch.bincount(pairs, minlength=classes * classes).reshape(classes, classes)


class PixelClasses(MaskOfClasses):
    """A score for each class of the data at each pixel; targets below 0 are of no class."""

    declared = PIXEL_CLASSES

    @property
    def width(self) -> int:
        """Samples; of each class its pixels, those that are predicted, and both."""
        return 1 + 3 * self.classes

    def rows(self, outputs: Tensor, targets: Tensor) -> Tensor:
        predicted, known = outputs.argmax(dim=1), targets >= 0
        true, hit = targets.clamp_min(0), known & (predicted == targets)
        sides = ((true, known), (predicted, known), (true, hit))
        count = torch.ones(len(targets), 1, dtype=torch.float64, device=targets.device)
        return torch.cat([count, *(self._of_classes(*side) for side in sides)], dim=1)

    def _of_classes(self, classes: Tensor, chosen: Tensor) -> Tensor:
        """How many pixels of each class are chosen, (N, classes)."""
        zeros = torch.zeros(len(classes), self.classes, dtype=torch.float64, device=classes.device)
        return zeros.scatter_add_(1, classes.flatten(1), chosen.flatten(1).double())

    def drawn_target(self, targets: Tensor, outputs: Tensor) -> Tensor:
        """The target as `drawn` has the prediction; a pixel without a class as the first."""
        return super().drawn_target(targets.clamp_min(0), outputs)

    def arrays(self, batch: PredictionBatch) -> Arrays:
        """Classes of pixels by number, true and predicted, and what they are of."""
        if batch.targets is None:
            return {}
        pictures = {
            "classes_true": batch.targets,
            "classes_said": self.predicted(batch.predictions[0]),
            "seen": batch.inputs(),
        }
        return {name: plain(value[:MASKS]) for name, value in pictures.items()}

    def values(self, sums: list[float]) -> dict[str, float]:
        """Metrics of the sums: accuracy, miou, dice, and the IoU of each of a few classes."""
        return self._metrics.values(self, sums) if sums[0] else {}
