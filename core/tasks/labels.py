"""Samples, answers and outputs in words, alike for a run that trains and for one that ended."""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn import functional as F

from core.data.info import DataInfo
from core.tasks.ctc import greedy_decode
from core.tasks.metrics import Measure

COVER = "\u2588"
SEEN = {ord(" "): "\u2423", ord("\n"): "\u23ce"}
COMPARED = ("first", "second", "anchor", "positive", "negative")
OF_ONE, OF_TWO, REAL = "one class", "two classes", "real"


@dataclass(frozen=True)
class Naming:
    """What is said of samples. measure: of the loss whose outputs are told, None without any."""

    info: DataInfo
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
        return "".join(alphabet[token] for token in tokens.tolist() if token >= 0).replace("\0", "")

    def _letters(self, tokens: Tensor) -> str:
        """Words; letters that are taken out of a text with their blanks and breaks to be seen."""
        words = self.words(tokens)
        return words.translate(SEEN) if self.info.target == "masked" else words

    def labels(self, chosen: Tensor) -> str:
        """Names of the labels that are chosen."""
        names = zip(self.info.classes, chosen.tolist(), strict=True)
        return " ".join(name for name, yes in names if yes) or "none"

    def sequence(self, numbers: Sequence[int]) -> str:
        """Names of a sequence of classes, which are counted from 1."""
        names = [self.info.classes[number - 1] for number in numbers]
        return ("" if all(len(name) == 1 for name in names) else " ").join(names) or "nothing"

    def true(self, target: Tensor | None) -> str:
        """What is right for one sample, "" where only a picture could tell."""
        if target is None:
            return REAL if self.kind == "judged" else ""
        if self.kind in ("classes", "yes_no"):
            return self.info.classes[int(target.reshape(-1)[0])]
        if self.kind == "labels":
            return self.labels(target > 0.5)
        if self.kind in ("pair", "cosine"):
            return OF_ONE if float(target) > 0 else OF_TWO
        if self.kind == "tokens":
            return self._letters(target)
        if self.kind == "sequence":
            return self.sequence(target[target > 0].tolist())
        return self.number(target) if target.numel() == 1 else ""

    def said(self, outputs: Sequence[Tensor], target: Tensor | None) -> str:
        """What the network says of one sample, of the outputs that its loss reads."""
        output, threshold = outputs[0], self.measure.threshold if self.measure else 0.0
        if self.kind == "labels":
            return self.labels(output > threshold)
        if self.kind == "tokens" and target is not None:
            return self._letters(output.argmax(dim=-1)[target >= 0])
        if self.kind == "sequence":
            return self.sequence(greedy_decode(output[None])[0])
        if self.kind == "pair":
            return f"a distance of {float(output):.2f}"
        if self.kind == "cosine":
            return f"a cosine of {float(F.cosine_similarity(output, outputs[1], dim=0)):.2f}"
        if self.kind == "triplet":
            near, far = (float(torch.linalg.vector_norm(output - each)) for each in outputs[1:])
            return f"positive at {near:.2f}, negative at {far:.2f}"
        if self.kind == "judged":
            return f"a score of {float(output.reshape(-1)[0]):.2f}"
        if self.kind == "regression" and self.measure:
            return self.number(self.measure.numbers(output))
        return ""

    def number(self, value: Tensor) -> str:
        """A number in its own unit."""
        unit, middle = (self.measure.unit, self.measure.middle) if self.measure else (1.0, 0.0)
        return f"{float(value.reshape(-1)[0]) * unit + middle:.3g}"
