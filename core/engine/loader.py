"""The parts of the data on the device, and what batches of them come to."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Protocol

import torch
from torch import Tensor

from core.common.device import CPU

GATHERED_BYTES = 1 << 18
"""How much of the data is gathered in one go: as much as a processor's cache holds."""
BATCH_BY_BATCH = (
    "images are read or augmented batch by batch on the CPU (without data.transform, up "
    "to 256 MB of them are held in memory)"
)
"""Why a step can be neither compiled nor recorded."""
Rows = tuple[tuple[Tensor, ...], tuple[Tensor, ...]]


@dataclass
class DeviceSplit:
    """One part of the data on the device: (S, ...) each, for every Input and every target."""

    inputs: tuple[Tensor, ...]
    targets: tuple[Tensor, ...]
    _planned: list[Tensor] = field(default_factory=list, init=False, repr=False)
    _ready: list[tuple[Tensor, Rows]] = field(default_factory=list, init=False, repr=False)

    def __len__(self) -> int:
        return self.inputs[0].size(0)

    @property
    def host_bytes(self) -> bool:
        """Whether all columns lie on the device; else some are made batch by batch."""
        return all(isinstance(column, Tensor) for column in (*self.inputs, *self.targets))

    @property
    def where(self) -> torch.device:
        """Where indices of batches belong: beside what reads them first."""
        return self.inputs[0].device if self.host_bytes else torch.device(CPU)

    def plan(self, batches: Sequence[Tensor]) -> None:
        """Announce the next batches, in order: small ones are gathered together.

        Columns that are no tensors make every batch when it is its turn, as chance is drawn then.
        """
        self._planned, self._ready = list(reversed(batches)) if self.host_bytes else [], []

    def batches(self, group: Sequence[Tensor]) -> "Batches":
        """The batches of a step, each made when it is its turn."""
        return Batches(self.rows, group)

    def rows(self, indices: Tensor) -> Rows:
        """Inputs and targets of a batch."""
        if not self._ready and self._planned and self._planned[-1] is indices:
            self._gather()
        if self._ready and self._ready[-1][0] is indices:
            return self._ready.pop()[1]
        return self.gathered(indices)

    def _gather(self) -> None:
        """Gather the rows of the next batches as one, and cut them apart."""
        row = sum(c[:1].nbytes for c in (*self.inputs, *self.targets))
        many = max(1, GATHERED_BYTES // max(1, row * self._planned[-1].size(0)))
        taken = [self._planned.pop() for _ in range(min(many, len(self._planned)))]
        if len(taken) == 1:
            self._ready = [(taken[0], self.gathered(taken[0]))]
            return
        inputs, targets = self.gathered(torch.cat(taken))
        sizes = [indices.size(0) for indices in taken]
        cut = zip(*(c.split(sizes) for c in (*inputs, *targets)), strict=True)
        parts = [(columns[: len(inputs)], columns[len(inputs) :]) for columns in cut]
        self._ready = list(reversed(list(zip(taken, parts, strict=True))))

    def gathered(self, indices: Tensor) -> Rows:
        """Inputs and targets of a batch that nobody planned."""
        inputs = tuple(_picked(column, indices) for column in self.inputs)
        return inputs, tuple(_picked(column, indices) for column in self.targets)

    def slices(self, size: int) -> Iterator[Rows]:
        """Inputs and targets of all batches in order, without copying."""
        for start in range(0, len(self), size):
            rows = slice(start, start + size)
            yield tuple(x[rows] for x in self.inputs), tuple(y[rows] for y in self.targets)


class StepLoader(Protocol):
    """The batches of one step, in the form in which it reads them."""

    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[Rows]: ...


@dataclass(frozen=True)
class Batches:
    """The loader of one step."""

    rows: Callable[[Tensor], Rows]
    group: Sequence[Tensor]

    def __len__(self) -> int:
        return len(self.group)

    def __iter__(self) -> Iterator[Rows]:
        return map(self.rows, self.group)


def _picked(column: Tensor, indices: Tensor) -> Tensor:
    """Some rows of a column. Indices go to a GPU without waiting for what it still has to do."""
    if isinstance(column, Tensor) and column.device != indices.device:
        indices = indices.to(column.device, non_blocking=True)
    return column.index_select(0, indices)
