"""Integrated gradients, from an input of zeros, by Gauss-Legendre quadrature."""

import time

import numpy as np
import torch
from torch import Tensor

from core.insight.attribution.subject import Attributions, ScoredSample, per_place
from core.tasks.tensor_values import floats

STEPS = (50, 100, 200, 400)
CLOSE = 0.01
ENOUGH_S = 5.0  # after which no finer steps are tried


def integrated_gradients(subject: ScoredSample, _node: str = "") -> Attributions:
    """How much each value adds to the score on the way from zeros (Sundararajan et al., 2017).

    As many steps as bring the sum of all parts within 1 % of the difference of the scores, at
    most the last of STEPS; what is left between them is a fact.
    """
    point = subject.point
    zeros, at = floats(subject.scores(torch.cat([torch.zeros_like(point), point])))
    until = time.monotonic() + ENOUGH_S
    steps, values, gap = 0, point, float("inf")
    for steps in STEPS:
        values = path_integral(subject, steps)
        gap = abs(float(values.sum()) - (at - zeros))
        if gap <= CLOSE * abs(at - zeros) or time.monotonic() > until:
            break
    facts = {"score": at, "score of zeros": zeros, "sum": float(values.sum()), "steps": steps}
    return Attributions(per_place(subject, values, signed=True), {**facts, "gap": gap})


def path_integral(subject: ScoredSample, steps: int, baseline: Tensor | None = None) -> Tensor:
    """The integral of the gradient along the line from a baseline, times its length: (1, ...).

    baseline: (1, ...), None for zeros.
    """
    point = subject.point
    start = torch.zeros_like(point) if baseline is None else baseline
    nodes, weights = np.polynomial.legendre.leggauss(steps)
    shape = (-1, *[1] * (point.ndim - 1))
    along = torch.tensor((nodes + 1) / 2, dtype=point.dtype).reshape(shape)
    share = torch.tensor(weights / 2, dtype=point.dtype).reshape(shape)
    gradients = subject.gradients(start + along * (point - start))
    return (gradients * share).sum(dim=0, keepdim=True) * (point - start)
