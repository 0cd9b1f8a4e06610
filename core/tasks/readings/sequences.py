"""Outputs that are one thing after another: the characters of a text, a sequence of classes."""

import torch
from torch import Tensor
from torch.nn import functional as F

from core.tasks.class_predictions import sequences
from core.tasks.ctc import edit_distance, greedy_decode
from core.tasks.measure import Measure, Outputs, by_sample
from core.tasks.prediction_batch import Arrays, PredictionBatch
from core.tasks.readout import Score
from core.tasks.sample_words import SampleWords
from core.tasks.sequence import SEQUENCE
from core.tasks.tensor_values import floats, ints
from core.tasks.text import TOKENS
from core.tasks.text_predictions import texts


class Tokens(Measure):
    """A score for each character at each position, (N, L, C). Targets below 0 do not count."""

    declared = TOKENS

    def rows(self, outputs: Tensor, targets: Tensor) -> Tensor:
        """How many characters count, are right, and how surprising they are."""
        scores, right = outputs.flatten(0, 1), targets.flatten()
        counted = right >= 0
        hit = (scores.argmax(dim=1) == right) & counted
        surprise = F.cross_entropy(scores, right.clamp_min(0), reduction="none") * counted
        return by_sample(*(part.reshape(targets.shape) for part in (counted, hit, surprise)))

    def select(self, outputs: Tensor, number: int, position: int) -> Tensor:
        """The score of a token at a position."""
        return outputs[:, position, number]

    def names(self, naming: SampleWords, output: Tensor) -> list[str]:
        """The character of each token."""
        tokens = range(output.shape[-1])
        return [naming.letters(torch.tensor([k])) or f"token {k}" for k in tokens]

    def likeliest(self, output: Tensor, position: int) -> int:
        return int(output[position].argmax())

    def position(self, output: Tensor, target: Tensor | None) -> int:
        """The last with a target that counts, else the last of all."""
        counted = [] if target is None else ints((target.reshape(-1) >= 0).nonzero().flatten())
        return counted[-1] if counted else len(output) - 1

    def next_scores(
        self, naming: SampleWords, output: Tensor, target: Tensor | None, count: int
    ) -> tuple[Score, ...]:
        if naming.info.target != "next" or output.dim() != 2:
            return ()
        shares = output[-1].softmax(0)
        right = -1 if target is None else int(target.reshape(-1)[-1])
        best = torch.topk(shares, min(count, len(shares)))
        return tuple(
            Score(naming.visible(torch.tensor([k])), value, k == right, place == 0)
            for place, (value, k) in enumerate(
                zip(floats(best.values), ints(best.indices), strict=True)
            )
        )

    def words(self, naming: SampleWords, outputs: Outputs, target: Tensor | None) -> str:
        """The likeliest characters at the positions that count."""
        if target is None:
            return ""
        return naming.letters(outputs[0].argmax(dim=-1)[target >= 0])

    def true_words(self, naming: SampleWords, target: Tensor) -> str:
        return naming.letters(target)

    def drawn(self, outputs: Tensor) -> Tensor:
        """The likeliest token of each position."""
        return outputs.argmax(dim=-1)

    def arrays(self, batch: PredictionBatch) -> Arrays:
        return texts(batch)


class Sequence(Measure):
    """Scores of a blank and of each class at each step, which decode to a sequence (CTC)."""

    declared = SEQUENCE

    def rows(self, outputs: Tensor, targets: Tensor) -> Tensor:
        """(N, 4): 1, whether all is right, how many edits are needed, and the length."""
        wanted = [ints(row[row > 0]) for row in targets]
        pairs = list(zip(greedy_decode(outputs), wanted, strict=True))
        rows = [
            [1, predicted == true, edit_distance(predicted, true), len(true)]
            for predicted, true in pairs
        ]
        return torch.tensor(rows, dtype=torch.float64, device=outputs.device).reshape(-1, 4)

    def words(self, naming: SampleWords, outputs: Outputs, target: Tensor | None) -> str:
        return naming.sequence(greedy_decode(outputs[0][None])[0])

    def true_words(self, naming: SampleWords, target: Tensor) -> str:
        return naming.sequence(ints(target[target > 0]))

    def arrays(self, batch: PredictionBatch) -> Arrays:
        return sequences(self, batch)
