"""Outputs about several samples: a distance of a pair, or a vector of each."""

import torch
from torch import Tensor
from torch.nn import functional as F

from core.tasks.measure import Measure, Outputs, by_sample
from core.tasks.metric_learning import pairs, triplets
from core.tasks.pairs import COSINE, PAIR
from core.tasks.prediction_batch import Arrays, PredictionBatch
from core.tasks.readings.sums import RightOrWrong
from core.tasks.sample_words import SampleWords
from core.tasks.tensor_values import distance
from core.tasks.triplets import TRIPLET

OF_ONE, OF_TWO = "one class", "two classes"


class Pair(RightOrWrong):
    """How far apart two samples are; the target is 1 for those of one class, -1 for others."""

    declared = PAIR

    def hits(self, outputs: Tensor, targets: Tensor) -> Tensor:
        predicted = torch.where(outputs < self.threshold, 1.0, -1.0)
        return predicted.reshape(targets.shape) == targets

    def words(self, naming: SampleWords, outputs: Outputs, target: Tensor | None) -> str:
        return f"a distance of {float(outputs[0]):.2f}"

    def true_words(self, naming: SampleWords, target: Tensor) -> str:
        return pair_words(target)

    def arrays(self, batch: PredictionBatch) -> Arrays:
        distances = batch.predictions[0].reshape(-1)
        return pairs(batch, distances, self.threshold, cosine=False)


class Cosine(Measure):
    """A vector of each of two samples, which point the same way where they are of one class."""

    declared = COSINE

    def several(self, outputs: Outputs, targets: Tensor | None) -> Tensor:
        """1, and whether the cosine tells if they are of one class."""
        assert targets is not None
        alike = F.cosine_similarity(outputs[0], outputs[1]) > self.threshold
        return by_sample(torch.ones_like(alike), alike == (targets > 0))

    def words(self, naming: SampleWords, outputs: Outputs, target: Tensor | None) -> str:
        return f"a cosine of {float(F.cosine_similarity(outputs[0], outputs[1], dim=0)):.2f}"

    def true_words(self, naming: SampleWords, target: Tensor) -> str:
        return pair_words(target)

    def arrays(self, batch: PredictionBatch) -> Arrays:
        cosines = F.cosine_similarity(batch.predictions[0], batch.predictions[1])
        return pairs(batch, cosines, self.threshold, cosine=True)


def pair_words(target: Tensor) -> str:
    """Whether two samples are of one class."""
    return OF_ONE if float(target) > 0 else OF_TWO


class Triplet(Measure):
    """A vector of the anchor, of a sample of its class, and of another."""

    declared = TRIPLET

    def several(self, outputs: Outputs, targets: Tensor | None) -> Tensor:
        """1, and whether the sample of its class is the nearer one."""
        near, far = (distance(outputs[0], each, dim=1) for each in outputs[1:])
        return by_sample(torch.ones_like(near), near < far)

    def words(self, naming: SampleWords, outputs: Outputs, target: Tensor | None) -> str:
        near, far = (float(distance(outputs[0], each)) for each in outputs[1:])
        return f"positive at {near:.2f}, negative at {far:.2f}"

    def arrays(self, batch: PredictionBatch) -> Arrays:
        return triplets(batch)
