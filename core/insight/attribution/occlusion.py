"""Occlusion: how far the score falls when a part of the sample is covered with zeros."""

from collections.abc import Sequence

import torch
from torch import Tensor

from core.insight.attribution.sample_kinds import PICTURE, ROW
from core.insight.attribution.subject import Attributions, ScoredSample, windows
from core.tasks.tensor_values import floats

SHARE = 7  # a window is so many times smaller than the picture


def occlusion(subject: ScoredSample, _node: str = "") -> Attributions:
    """The fall of the score where the sample is covered (Zeiler and Fergus, 2014), signed.

    Each value is the mean over the windows that cover it; all channels are covered together.
    """
    window, stride = usual_window(subject)
    values = covered(subject, window, stride)
    return Attributions(values, {"window": float(window[-1]), "stride": float(stride[-1])})


def usual_window(subject: ScoredSample) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Window and stride over the places of a sample: a seventh of a picture, else a place."""
    sizes = places(subject, subject.point)
    if subject.kind != PICTURE:
        ones = (1,) * len(sizes)
        return ones, ones
    window = tuple(min(size, max(2, size // SHARE)) for size in sizes)
    return window, tuple(max(1, each // 2) for each in window)


def places(subject: ScoredSample, point: Tensor) -> tuple[int, ...]:
    """Sizes of what windows move over: rows and columns, tokens, steps or columns of a row."""
    sizes = tuple(point.shape[1:])
    if subject.kind == PICTURE:
        return sizes[-2:]
    return sizes if subject.kind == ROW else sizes[:1]


def covered(subject: ScoredSample, window: Sequence[int], stride: Sequence[int]) -> Tensor:
    """How far the score falls, at every place; see `places`."""
    point = subject.point
    sizes = places(subject, point)
    cuts = list(windows(sizes, window, stride))
    inner = (slice(None),) * (0 if subject.kind in (PICTURE, ROW) else point.ndim - 2)
    outer = (slice(None),) * (point.ndim - 1 - len(sizes)) if not inner else ()
    whole = float(subject.scores(point)[0])
    total, count = torch.zeros(sizes), torch.zeros(sizes)
    for start in range(0, len(cuts), subject.at_once()):
        some = cuts[start : start + subject.at_once()]
        variants = point.repeat(len(some), *[1] * (point.ndim - 1))
        for row, cut in enumerate(some):
            variants[(row, *outer, *cut, *inner)] = 0
        for cut, score in zip(some, floats(subject.scores(variants)), strict=True):
            total[cut] += whole - score
            count[cut] += 1
    return total / count.clamp(min=1)
