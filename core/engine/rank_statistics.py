"""Running statistics of batch norm over the micro-batches of all ranks, as one process keeps them.

A rank lets batch norm update statistics that begin at zero, which gives the share of its own
micro-batch; these shares are applied in the order of micro-batches. Equal to one process to
rounding: torch rounds once less. The weights do not depend on it.
"""

from collections.abc import Sequence

import torch
from torch import Tensor, nn
from torch.nn.modules.batchnorm import _BatchNorm  # pyright: ignore[reportPrivateUsage]


class NormStatistics:
    """The batch norms of a module that keep running statistics."""

    def __init__(self, module: nn.Module) -> None:
        self.norms = [
            part
            for part in module.modules()
            if isinstance(part, _BatchNorm) and part.running_mean is not None
        ]
        self.sizes = [2 * self.mean(norm).numel() for norm in self.norms]
        self._before: list[tuple[Tensor, Tensor, int]] = []

    @staticmethod
    def mean(norm: _BatchNorm) -> Tensor:
        """The running mean of one that keeps statistics."""
        assert norm.running_mean is not None
        return norm.running_mean

    @property
    def tensors(self) -> set[int]:
        """Which buffers are theirs, by id."""
        return {id(buffer) for norm in self.norms for buffer in norm.buffers(recurse=False)}

    def begin(self, k: int) -> None:
        """Let a forward pass of micro-batch k give its share alone."""
        self._before = []
        for norm in self.norms:
            mean, var, tracked = _buffers(norm)
            self._before.append((mean.clone(), var.clone(), int(tracked)))
            if norm.training:
                mean.zero_()
                var.zero_()
                tracked.add_(k)

    def end(self, k: int) -> tuple[list[Tensor], list[int]]:
        """The shares of micro-batch k, mean and variance in one tensor of each batch norm, and how
        often it was applied; the statistics are as before it."""
        shares: list[Tensor] = []
        uses: list[int] = []
        for norm, (mean, var, tracked) in zip(self.norms, self._before, strict=True):
            now_mean, now_var, now_tracked = _buffers(norm)
            shares.append(torch.cat([now_mean, now_var]))
            uses.append(int(now_tracked) - tracked - k if norm.training else 0)
            now_mean.copy_(mean)
            now_var.copy_(var)
            now_tracked.fill_(tracked)
        return shares, uses

    def apply(self, shares: Sequence[Tensor], uses: Sequence[int]) -> None:
        """Update the statistics by a micro-batch, as torch does."""
        for norm, share, used in zip(self.norms, shares, uses, strict=True):
            if not used:
                continue
            mean, var, tracked = _buffers(norm)
            count = int(tracked)
            kept = count / (count + used) if norm.momentum is None else (1 - norm.momentum) ** used
            for old, added in zip((mean, var), share.double().chunk(2), strict=True):
                old.copy_(kept * old.double() + added)
            tracked.fill_(count + used)


def _buffers(norm: _BatchNorm) -> tuple[Tensor, Tensor, Tensor]:
    mean, var, tracked = norm.running_mean, norm.running_var, norm.num_batches_tracked
    assert mean is not None
    assert var is not None
    assert tracked is not None
    return mean, var, tracked
