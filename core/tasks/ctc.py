"""Connectionist temporal classification: arguments of torch's loss, and decoding of scores.

`greedy_decode` and `edit_distance` stand word for word in training scripts; they need torch only.
"""

# pyright: reportUnknownMemberType=false
import torch
from torch import Tensor


def ctc_arguments(scores: Tensor, targets: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """What nn.CTCLoss takes: (T, N, C) log-probabilities, targets, and the lengths of both.

    scores: (N, T, C). targets: (N, S) classes from 1, then zeros.
    """
    steps = torch.full((len(scores),), scores.shape[1])
    return scores.transpose(0, 1), targets, steps, (targets > 0).sum(1)


def greedy_decode(scores: Tensor) -> list[list[int]]:
    """The likeliest class of every step (N, T, C), repetitions and then blanks left out."""
    best = scores.argmax(2)
    before = torch.cat([torch.zeros_like(best[:, :1]), best[:, :-1]], dim=1)
    kept = (best != before) & (best > 0)
    return [row[keep].tolist() for row, keep in zip(best, kept, strict=True)]


def edit_distance(predicted: list[int], wanted: list[int]) -> int:
    """How many insertions, deletions, substitutions make one the other (Levenshtein)."""
    costs = list(range(len(wanted) + 1))
    for row, a in enumerate(predicted, start=1):
        corner, costs[0] = costs[0], row
        for column, b in enumerate(wanted, start=1):
            cost = min(costs[column] + 1, costs[column - 1] + 1, corner + (a != b))
            corner, costs[column] = costs[column], cost
    return costs[-1]
