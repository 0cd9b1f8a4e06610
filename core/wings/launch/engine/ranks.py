"""The processes (ranks) of a run, and what goes between them; a single one has nobody to wait for.

Everything is a collective of torch.distributed: all ranks call the same ones in the same order.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import torch
import torch.distributed as dist
from torch import Tensor

from core.common.errors import RunError

WIDTH = 4
"""Numbers in a message from rank 0."""


class RankLost(RunError):
    """Another rank of the run ended, so that no collective with it comes to an end."""


def _unheard(_: bool) -> None:
    """Nobody watches this rank."""


@dataclass(frozen=True)
class Ranks:
    """This process among those of a run. waits: called with True before it waits for the others,
    and with False after it."""

    rank: int = 0
    world: int = 1
    waits: Callable[[bool], None] = _unheard

    def all_gather(self, tensor: Tensor) -> list[Tensor]:
        """The tensors of all ranks, in their order; all have the same shape. Raises RankLost."""
        if self.world == 1:
            return [tensor]
        parts = [torch.empty_like(tensor) for _ in range(self.world)]
        with self.waiting():
            dist.all_gather(parts, tensor)
        return parts

    def all_reduce(self, tensor: Tensor) -> None:
        """Add up a tensor over all ranks, in an order of torch's choice. Raises RankLost."""
        if self.world > 1:
            with self.waiting():
                dist.all_reduce(tensor)

    def broadcast(self, tensor: Tensor) -> None:
        """Overwrite a tensor by that of rank 0. Raises RankLost."""
        if self.world > 1:
            with self.waiting():
                dist.broadcast(tensor, 0)

    def send(self, *numbers: float) -> None:
        """Send at most WIDTH numbers to the other ranks, as rank 0. Raises RankLost."""
        message = torch.zeros(WIDTH, dtype=torch.float64)
        message[: len(numbers)] = torch.tensor(numbers, dtype=torch.float64)
        self.broadcast(message)

    def receive(self) -> list[float]:
        """The numbers that rank 0 sends. Raises RankLost."""
        message = torch.zeros(WIDTH, dtype=torch.float64)
        self.broadcast(message)
        return message.tolist()

    def gather(self, value: Any) -> Sequence[Any]:
        """The values of all ranks in their order, on rank 0; [] on the others. Raises RankLost."""
        if self.world == 1:
            return [value]
        values: list[Any] | None = [None] * self.world if self.rank == 0 else None
        with self.waiting():
            dist.gather_object(value, values, 0)
        return values or []

    @contextmanager
    def waiting(self) -> Iterator[None]:
        """Around what ends only once the other ranks do their part. Raises RankLost."""
        self.waits(True)
        try:
            yield
        except RuntimeError as error:
            message = "Another process of the run ended."
            raise RankLost("ranks", message, "log.txt has the details.") from error
        self.waits(False)
