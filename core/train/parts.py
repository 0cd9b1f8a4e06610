"""The parts of the data on the device, and what batches of them come to."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor


@dataclass
class Part:
    """One part of the data on the device: (S, ...) each, for every Input and every target."""

    inputs: tuple[Tensor, ...]
    targets: tuple[Tensor, ...]

    def __len__(self) -> int:
        return len(self.inputs[0])

    def rows(self, indices: Tensor) -> tuple[tuple[Tensor, ...], tuple[Tensor, ...]]:
        """Inputs and targets of a batch."""
        inputs = tuple(column.index_select(0, indices) for column in self.inputs)
        return inputs, self.targets_at(indices)

    def slices(self, size: int) -> Iterator[tuple[tuple[Tensor, ...], tuple[Tensor, ...]]]:
        """Inputs and targets of all batches in order, without copying."""
        for start in range(0, len(self), size):
            rows = slice(start, start + size)
            yield tuple(x[rows] for x in self.inputs), tuple(y[rows] for y in self.targets)

    def targets_at(self, indices: Tensor) -> tuple[Tensor, ...]:
        return tuple(column.index_select(0, indices) for column in self.targets)


Learnt = tuple[Tensor, list[Tensor], tuple[Tensor, ...], Tensor]
"""A batch's loss, the losses it is made of, the outputs and the samples."""


def joined(learnt: Sequence[Learnt]) -> Learnt:
    """What the batches of a step come to, as if they were one: losses by their sizes."""
    losses, values, outputs, indices = zip(*learnt, strict=True)
    sizes = torch.tensor([len(rows) for rows in indices], device=losses[0].device)
    shares = sizes / sizes.sum()
    means = [(torch.stack(each) * shares).sum() for each in (losses, *zip(*values, strict=True))]
    whole = tuple(
        torch.cat([part.detach() for part in each]) for each in zip(*outputs, strict=True)
    )
    return means[0], means[1:], whole, torch.cat(indices)
