"""The micro-batches of a step: which rank calculates which, and the random numbers of each.

Micro-batch k belongs to rank k mod N; N of them, one for each rank, are a round. A rank for which
the last round has none repeats the round's first, which does not count. Each micro-batch draws from
a stream of its own, so that what it draws depends on the seed, the step and k alone, and not on the
number of ranks.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor

from core.engine.loader import Rows
from core.engine.rng import rng_state, seed_all, set_rng_state
from core.wings.launch.engine.ranks import Ranks


def rounds_of(count: int, world: int) -> int:
    """The number of rounds of a step of `count` micro-batches."""
    return -(-count // world)


def own_batches(group: Sequence[Tensor], ranks: Ranks) -> list[Tensor]:
    """The micro-batches of a step that a rank reads, one in each round."""
    starts = range(0, len(group), ranks.world)
    return [group[k if (k := at + ranks.rank) < len(group) else at] for at in starts]


@dataclass
class RandomStream:
    """Random numbers of a micro-batch; the run's own generators are as they were afterwards.

    everywhere: also those of numpy and Python, which data read batch by batch may draw from.
    """

    everywhere: bool
    _before: list[Any] = field(default_factory=list, init=False)

    def begin(self, seed: int) -> None:
        """Draw from a stream from here on."""
        self._before = [rng_state() if self.everywhere else _of_torch()]
        if self.everywhere:
            seed_all(seed)
        else:
            torch.manual_seed(seed)

    def end(self) -> None:
        """Draw from the run's own generators again."""
        (before,) = self._before
        if self.everywhere:
            set_rng_state(before)
            return
        torch.set_rng_state(before[0])
        for device, state in enumerate(before[1]):
            torch.cuda.set_rng_state(state, device)


def _of_torch() -> tuple[Tensor, list[Tensor]]:
    cuda = torch.cuda.get_rng_state_all() if torch.cuda.is_initialized() else []
    return torch.get_rng_state(), cuda


@dataclass(frozen=True)
class RankBatches:
    """The loader of this rank's part of a step. Its length is that of the whole step.

    begin: called with each round before its batch is read.
    """

    rows: Callable[[Tensor], Rows]
    group: Sequence[Tensor]
    ranks: Ranks
    begin: Callable[[int], None]

    def __len__(self) -> int:
        return len(self.group)

    def __iter__(self) -> Iterator[Rows]:
        for number, indices in enumerate(own_batches(self.group, self.ranks)):
            self.begin(number)
            yield self.rows(indices)
