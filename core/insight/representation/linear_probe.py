"""Linear probes: how much of the answer a linear rule reads from a block (Alain and Bengio, 2017).

Of classes by logistic regression on standardised values, scikit-learn's with its usual penalty; of
a number by ridge regression in closed form. Both are fitted on training samples.
"""

import warnings
from typing import Any, Protocol, cast

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from core.tasks.tensor_values import eigh, ints, solve

INVERSE_PENALTY, MOST_STEPS, TINY = 1.0, 1000, 1e-9
"""Of the logistic regression: scikit-learn's C, steps at most, and a deviation that counts as 0."""
SHRINK = 0.01
"""The ridge's penalty as a share of the mean squared length of the training samples' codes."""


class Classifier(Protocol):
    """A classifier of scikit-learn: samples (S, F), classes (S,)."""

    def fit(self, samples: NDArray[Any], classes: NDArray[Any], /) -> object: ...
    def predict(self, samples: NDArray[Any], /) -> NDArray[np.int64]: ...


def penalty(codes: Tensor) -> float:
    """The penalty for training codes (S, F), the same whatever unit they are in."""
    centred = codes.double() - codes.double().mean(dim=0)
    return SHRINK * float(centred.square().sum() / len(codes)) + 1e-12


def ridge(codes: Tensor, goals: Tensor, others: Tensor) -> Tensor:
    """Fit goals (S, K) by codes (S, F) and predict for others (T, F): (T, K), with intercept."""
    middle, level = codes.double().mean(dim=0), goals.double().mean(dim=0)
    centred, wanted = codes.double() - middle, goals.double() - level
    gram = centred @ centred.T + penalty(codes) * torch.eye(len(codes), dtype=torch.float64)
    weights = solve(gram, wanted)
    return (others.double() - middle) @ (centred.T @ weights) + level


def class_accuracy(codes: Tensor, labels: Tensor, others: Tensor, truth: Tensor) -> float:
    """The share of other samples (T, F) whose class a logistic regression on codes (S, F) finds."""
    if len(set(ints(labels))) < 2:
        return float((truth == labels[0]).double().mean())
    found = torch.as_tensor(_fitted(*_in_few(*standardised(codes, others)), labels))
    return float((found == truth).double().mean())


def standardised(codes: Tensor, others: Tensor) -> tuple[Tensor, Tensor]:
    """Both with mean 0 and standard deviation 1 of each value over the training codes."""
    mean, deviation = codes.double().mean(dim=0), codes.double().std(dim=0, correction=0)
    deviation = torch.where(deviation > TINY, deviation, 1.0)
    return (codes.double() - mean) / deviation, (others.double() - mean) / deviation


def _in_few(codes: Tensor, others: Tensor) -> tuple[Tensor, Tensor]:
    """The same samples in as many coordinates as there are training samples, at most.

    A rule with a quadratic penalty lies in the span of its samples, so it stays the same.
    """
    if codes.shape[1] <= codes.shape[0]:
        return codes, others
    squares, turned = eigh(codes @ codes.T)
    kept = squares > TINY * squares[-1]
    lengths = squares[kept].sqrt()
    return turned[:, kept] * lengths, others @ (codes.T @ (turned[:, kept] / lengths))


def _fitted(codes: Tensor, others: Tensor, labels: Tensor) -> NDArray[np.int64]:
    """Classes of others, by a logistic regression on the codes."""
    # scikit-learn has no type stubs
    from sklearn.linear_model import LogisticRegression  # pyright: ignore[reportMissingTypeStubs]

    with warnings.catch_warnings():  # of separable classes the last digits of weights may move
        warnings.simplefilter("ignore")
        rule = cast(Classifier, LogisticRegression(C=INVERSE_PENALTY, max_iter=MOST_STEPS))
        rule.fit(codes.numpy(), labels.numpy())
        return rule.predict(others.numpy())


def r_squared(codes: Tensor, goals: Tensor, others: Tensor, truth: Tensor) -> float:
    """The share of the variance of other goals (T, 1) that a ridge on the codes explains."""
    left = (ridge(codes, goals, others) - truth.double()).square().sum()
    spread = (truth.double() - truth.double().mean(dim=0)).square().sum()
    return float(1 - left / spread)
