"""Linear probes: how much of the answer a linear rule reads from a block (Alain and Bengio, 2017).

Ridge regression in closed form: one system of linear equations, no iterations, no chance.
"""

import torch
from torch import Tensor

SHRINK = 0.01
"""The ridge's penalty as a share of the mean squared length of the training samples' codes."""


def penalty(codes: Tensor) -> float:
    """The penalty for training codes (S, F), the same whatever unit they are in."""
    centred = codes.double() - codes.double().mean(dim=0)
    return SHRINK * float(centred.square().sum() / len(codes)) + 1e-12


def ridge(codes: Tensor, goals: Tensor, others: Tensor) -> Tensor:
    """Fit goals (S, K) by codes (S, F) and predict for others (T, F): (T, K), with intercept."""
    middle, level = codes.double().mean(dim=0), goals.double().mean(dim=0)
    centred, wanted = codes.double() - middle, goals.double() - level
    gram = centred @ centred.T + penalty(codes) * torch.eye(len(codes), dtype=torch.float64)
    weights = torch.linalg.solve(gram, wanted)
    return (others.double() - middle) @ (centred.T @ weights) + level


def class_accuracy(
    codes: Tensor, labels: Tensor, others: Tensor, truth: Tensor, classes: int
) -> float:
    """The share of other samples whose class a ridge classifier on the codes finds."""
    signs = 2.0 * torch.nn.functional.one_hot(labels.long(), classes) - 1.0
    predicted = ridge(codes, signs, others).argmax(dim=1)
    return float((predicted == truth).double().mean())


def r_squared(codes: Tensor, goals: Tensor, others: Tensor, truth: Tensor) -> float:
    """The share of the variance of other goals (T, 1) that a ridge on the codes explains."""
    left = (ridge(codes, goals, others) - truth.double()).square().sum()
    spread = (truth.double() - truth.double().mean(dim=0)).square().sum()
    return float(1 - left / spread)
