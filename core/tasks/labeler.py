"""Samples, targets and predictions in words, the same for running and finished runs."""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn import functional as F

from core.tasks.ctc import greedy_decode
from core.tasks.metric_labels import plain
from core.tasks.metrics import Measure
from core.tasks.readout import COVER, VISIBLE
from core.tasks.registry import KINDS, TASKS
from core.tasks.samples import SampleInfo
from core.tasks.task import function_of
from core.tasks.tensor_values import bools, distance, ints

SEEN = str.maketrans(VISIBLE)
COMPARED = {c for t in TASKS.values() if t.compares for target in t.targets for c in target.inputs}
OF_ONE, OF_TWO = "one class", "two classes"


@dataclass(frozen=True)
class Labeler:
    """Text labels of targets and predictions. measure: of the loss whose outputs it reads."""

    info: SampleInfo
    measure: Measure | None = None

    @property
    def kind(self) -> str:
        return self.measure.kind if self.measure else ""

    def sample(self, inputs: Sequence[Tensor]) -> Tensor:
        """What a batch looks like: the first Input fed from the data, or all that are compared."""
        fed = [feed.column for feed in self.info.feeds]
        compared = [inputs[i] for i, column in enumerate(fed) if column in COMPARED]
        if compared:
            return torch.cat(compared, dim=-1)
        return inputs[next((i for i, column in enumerate(fed) if column != "noise"), 0)]

    def words(self, tokens: Tensor) -> str:
        """Tokens as the text they stand for, "" for what is no text; what is covered as a block."""
        if self.info.kind != "text":
            return ""
        alphabet = self.info.origin.alphabet + COVER
        return "".join(alphabet[token] for token in ints(tokens) if token >= 0).replace("\0", "")

    def letters(self, tokens: Tensor) -> str:
        """Words; letters that are taken out of a text with their blanks and breaks to be seen."""
        return self.visible(tokens) if self.info.target == "masked" else self.words(tokens)

    def visible(self, tokens: Tensor) -> str:
        """Words with their blanks and breaks to be seen."""
        return self.words(tokens).translate(SEEN)

    def labels(self, chosen: Tensor) -> str:
        """Names of the labels that are chosen."""
        names = zip(self.info.classes, bools(chosen), strict=True)
        return " ".join(name for name, yes in names if yes) or "none"

    def sequence(self, numbers: Sequence[int]) -> str:
        """Names of a sequence of classes, which are counted from 1."""
        names = [self.info.classes[number - 1] for number in numbers]
        return ("" if all(len(name) == 1 for name in names) else " ").join(names) or "nothing"

    def describe_target(self, target: Tensor | None) -> str:
        """What is right for one sample, "" where only a picture could tell."""
        kind = KINDS.get(self.kind)
        if target is None:
            return kind.no_target if kind else ""
        return function_of(kind.true_words)(self, target) if kind else single_number(self, target)

    def describe_prediction(self, outputs: Sequence[Tensor], target: Tensor | None) -> str:
        """The prediction for one sample in words, from the outputs that its loss reads."""
        kind = KINDS.get(self.kind)
        if kind is None or not kind.readout.words:
            return ""
        return function_of(kind.readout.words)(self, outputs, target)

    def number(self, value: Tensor) -> str:
        """A number in its own unit."""
        unit, middle = (self.measure.unit, self.measure.middle) if self.measure else (1.0, 0.0)
        return plain(float(value.reshape(-1)[0]) * unit + middle)


def class_name(labeler: Labeler, target: Tensor) -> str:
    """The name of the right class."""
    return labeler.info.classes[int(target.reshape(-1)[0])]


def true_labels(labeler: Labeler, target: Tensor) -> str:
    """Names of the labels that a sample has."""
    return labeler.labels(target > 0.5)


def pair_of_classes(_labeler: Labeler, target: Tensor) -> str:
    """Whether two samples are of one class."""
    return OF_ONE if float(target) > 0 else OF_TWO


def letters(labeler: Labeler, target: Tensor) -> str:
    """The text that is right."""
    return labeler.letters(target)


def true_sequence(labeler: Labeler, target: Tensor) -> str:
    """Names of the classes in their order."""
    return labeler.sequence(ints(target[target > 0]))


def single_number(labeler: Labeler, target: Tensor) -> str:
    """A target of one number, "" for more of them."""
    return labeler.number(target) if target.numel() == 1 else ""


Outputs = Sequence[Tensor]


def predicted_labels(labeler: Labeler, outputs: Outputs, _target: Tensor | None) -> str:
    """Names of the predicted labels."""
    assert labeler.measure is not None
    return labeler.labels(outputs[0] > labeler.measure.threshold)


def predicted_letters(labeler: Labeler, outputs: Outputs, target: Tensor | None) -> str:
    """The likeliest characters at the places that count."""
    if target is None:
        return ""
    return labeler.letters(outputs[0].argmax(dim=-1)[target >= 0])


def predicted_sequence(labeler: Labeler, outputs: Outputs, _target: Tensor | None) -> str:
    """The sequence that the scores of all steps decode to."""
    return labeler.sequence(greedy_decode(outputs[0][None])[0])


def predicted_distance(_labeler: Labeler, outputs: Outputs, _target: Tensor | None) -> str:
    """How far apart two samples are."""
    return f"a distance of {float(outputs[0]):.2f}"


def predicted_cosine(_labeler: Labeler, outputs: Outputs, _target: Tensor | None) -> str:
    """How much two vectors point the same way."""
    return f"a cosine of {float(F.cosine_similarity(outputs[0], outputs[1], dim=0)):.2f}"


def predicted_distances(_labeler: Labeler, outputs: Outputs, _target: Tensor | None) -> str:
    """How far the anchor is from both others."""
    near, far = (float(distance(outputs[0], each)) for each in outputs[1:])
    return f"positive at {near:.2f}, negative at {far:.2f}"


def predicted_score(_labeler: Labeler, outputs: Outputs, _target: Tensor | None) -> str:
    """How real the network finds a sample."""
    return f"a score of {float(outputs[0].reshape(-1)[0]):.2f}"


def predicted_number(labeler: Labeler, outputs: Outputs, _target: Tensor | None) -> str:
    """The predicted number, in its own unit."""
    assert labeler.measure is not None
    return labeler.number(labeler.measure.numbers(outputs[0]))
