"""Running statistics of normalisation over the micro-batches of all ranks, as one process has them.

A run and the training script for several processes use the same class, word for word. The weights
do not depend on it. Equal to one process to rounding: torch rounds once less.
"""

import torch
from torch import Tensor, nn
from torch.nn.modules.batchnorm import (
    _BatchNorm,  # pyright: ignore[reportPrivateUsage]
    _NormBase,  # pyright: ignore[reportPrivateUsage]
)


class NormStatistics:
    """Running statistics of batch and instance norm, by the batches of all processes.

    A forward pass updates statistics that begin at zero, which gives the share of its
    own batch; the shares of all are applied in the order of the batches.
    """

    def __init__(self, module: nn.Module) -> None:
        self.norms = [
            part
            for part in module.modules()
            if isinstance(part, _NormBase) and part.running_mean is not None
        ]
        self.before: list[tuple[list[Tensor], int]] = []

    @staticmethod
    def kept(norm: _NormBase) -> list[Tensor]:
        """Running mean and variance, and how many batches they are of."""
        found = norm.running_mean, norm.running_var, norm.num_batches_tracked
        return [buffer for buffer in found if buffer is not None]

    @staticmethod
    def uses(norm: _NormBase) -> int:
        """A number that grows by one with each update; instance norm counts none."""
        mean, _, tracked = NormStatistics.kept(norm)
        return int(tracked) if isinstance(norm, _BatchNorm) else mean._version

    @property
    def tensors(self) -> set[int]:
        """Which buffers are theirs, by id."""
        return {id(buffer) for norm in self.norms for buffer in self.kept(norm)}

    def begin(self) -> None:
        """Let the next forward pass give its share alone."""
        self.before = []
        for norm in self.norms:
            buffers = self.kept(norm)
            before = [buffer.clone() for buffer in buffers]
            if norm.training:
                for buffer in buffers:
                    buffer.zero_()
            self.before.append((before, self.uses(norm)))

    def end(self) -> tuple[list[Tensor], list[int]]:
        """The share of each norm, mean and variance in one tensor, and how often it was
        applied; the statistics are as before it."""
        shares: list[Tensor] = []
        uses: list[int] = []
        for norm, (before, used) in zip(self.norms, self.before, strict=True):
            buffers = self.kept(norm)
            shares.append(torch.cat(buffers[:2]))
            uses.append(self.uses(norm) - used if norm.training else 0)
            for buffer, old in zip(buffers, before, strict=True):
                buffer.copy_(old)
        return shares, uses

    def apply(self, shares: list[Tensor], uses: list[int]) -> None:
        """Update the statistics by a batch, as torch does."""
        for norm, share, used in zip(self.norms, shares, uses, strict=True):
            if not used:
                continue
            mean, var, tracked = self.kept(norm)
            total, added = int(tracked) + used, share.double()
            if norm.momentum is not None:
                kept = (1 - norm.momentum) ** used
            elif isinstance(norm, _BatchNorm):  # all batches count alike
                kept = 1 - used / total
                added = added * (used / total)
            else:  # instance norm keeps what it has
                kept = 1.0
            for old, new in zip((mean, var), added.chunk(2), strict=True):
                old.copy_(kept * old.double() + new)
            if isinstance(norm, _BatchNorm):
                tracked.fill_(total)
