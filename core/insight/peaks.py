"""Samples and positions with the largest values of a block's channels, and their receptive field.

The receptive field is found by trying: not-a-number goes through sums, products and maxima, so
what turns into it saw the part of the sample that was replaced by it.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import torch
from torch import Tensor, nn

from core.analyse.report import Report
from core.insight.features import capture, first
from core.tasks.tensor_values import bools, split

BATCH = 64
Bounds = tuple[tuple[int, int], ...]
Run = Callable[[Tensor], Tensor]


@dataclass(frozen=True)
class Peaks:
    """The largest value of every channel of one block in every sample.

    values, places: (S, C); a place counts through `size`, what is left of the block's output
    without batch and channels. Fewer than all samples where time ran out.
    """

    values: Tensor
    places: Tensor
    size: tuple[int, ...]

    def place(self, sample: int, channel: int) -> tuple[int, ...]:
        """Where in the block's output a channel is largest."""
        at = torch.unravel_index(self.places[sample, channel], self.size) if self.size else ()
        return tuple(int(k) for k in at)


def channels_first(value: Tensor, last: bool) -> Tensor:
    """Bring a block's output (N, ..., C) to (N, C, ...), where its channels are `last`."""
    return value.movedim(-1, 1) if last else value


def peaks(
    module: nn.Module,
    report: Report,
    inputs: Sequence[Tensor],
    node: str,
    last: bool = False,
    most_s: float = 10.0,
) -> Peaks:
    """Run samples (S, ...) of every Input batch by batch, for at most `most_s` seconds.

    The first batch is always run. last: whether the channels of the block are its last dimension.
    Raises ValueError where the node did not run.
    """
    until, size = time.monotonic() + most_s, tuple[int, ...]()
    largest: list[Tensor] = []
    positions: list[Tensor] = []
    for part in zip(*(split(column, BATCH) for column in inputs), strict=True):
        values = capture(module, report, part, [node]).values
        if node not in values:
            raise ValueError(f"{node} needs to be a node of the network but did not run")
        value = channels_first(first(values[node], node), last)
        size = tuple(value.shape[2:])
        most, position = value.reshape(*value.shape[:2], -1).max(dim=2)
        largest.append(most)
        positions.append(position)
        if time.monotonic() > until:
            break
    return Peaks(torch.cat(largest), torch.cat(positions), size)


def strongest(peaks: Peaks, channel: int, count: int) -> list[int]:
    """Samples in which a channel is largest, the largest first; the earlier one of two alike."""
    order = peaks.values[:, channel].argsort(descending=True, stable=True)
    return [int(k) for k in order[:count]]


@dataclass(frozen=True)
class _Search:
    """One end of one dimension of a receptive field: none of the first `free` rows is seen, of the
    first `seen` some are. flipped: rows are counted from the end.
    """

    dim: int
    flipped: bool
    free: int
    seen: int

    @property
    def middle(self) -> int:
        return (self.free + self.seen) // 2


def receptive_field(run: Run, sample: Tensor, dims: Sequence[int]) -> Bounds | None:
    """From where to where (excluded) a sample is seen, for each of its dimensions `dims`.

    run: (N, ...) variants of the sample to (N,) values, one of the block for each. sample: floats.
    None where nothing is seen, or operations on the way do not carry not-a-number on.
    """
    plain, covered = bools(run(torch.stack([sample, torch.full_like(sample, torch.nan)])).isnan())
    if plain or not covered:
        return None
    ends = [_Search(d, flipped, 0, sample.shape[d]) for d in dims for flipped in (False, True)]
    while any(end.seen - end.free > 1 for end in ends):
        hits = bools(run(torch.stack([_covered(sample, end) for end in ends])).isnan())
        ends = [
            replace(end, seen=end.middle) if hit else replace(end, free=end.middle)
            for end, hit in zip(ends, hits, strict=True)
        ]
    free = {(end.dim, end.flipped): end.free for end in ends}
    return tuple((free[d, False], sample.shape[d] - free[d, True]) for d in dims)


def _covered(sample: Tensor, end: _Search) -> Tensor:
    """A sample whose first rows of one dimension are not-a-number, as far as the search is."""
    covered, length = sample.clone(), sample.shape[end.dim]
    start = length - end.middle if end.flipped else 0
    covered.narrow(end.dim, start, end.middle).fill_(torch.nan)
    return covered
