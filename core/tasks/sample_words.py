"""Samples, labels and sequences of a data set as text."""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from core.samples.text_tokens import text_of
from core.tasks.readout import COVER, VISIBLE
from core.tasks.registry import TASKS
from core.tasks.samples import SampleInfo
from core.tasks.tensor_values import bools, ints

SEEN = str.maketrans(VISIBLE)
COMPARED = {c for t in TASKS.values() if t.compares for target in t.targets for c in target.inputs}


@dataclass(frozen=True)
class SampleWords:
    """Text of what a data set has."""

    info: SampleInfo

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
        origin = self.info.origin
        if origin.vocabulary:
            return text_of(ints(tokens), origin.vocabulary, origin.cut_by)
        alphabet = origin.alphabet + COVER
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
