"""Batch norm over a whole batch that processes divide: the setting `sync_batchnorm`.

torch.nn.SyncBatchNorm needs a GPU for each process. This is the same for every process group, a
run and the training script for several processes use it word for word.
"""

from typing import Any

import torch
import torch.distributed as dist
from torch import Tensor, nn
from torch.nn.modules.batchnorm import _BatchNorm  # pyright: ignore[reportPrivateUsage]


class SumOfAll(torch.autograd.Function):
    """The sum of a tensor over processes, and of their gradients."""

    @staticmethod
    def forward(ctx: Any, own: Tensor, add_up: Any) -> Tensor:
        """Add up. add_up: replaces a tensor by the sum."""
        ctx.add_up, total = add_up, own.clone()
        add_up(total)
        return total

    @staticmethod
    def backward(ctx: Any, *grad_outputs: Any) -> tuple[Tensor, None]:
        """Add up the gradients."""
        total = grad_outputs[0].clone()
        ctx.add_up(total)
        return total, None


class SyncedNorms:
    """Lets batch norm see the whole batch that `parts` processes divide.

    Its mean and variance are those of all parts; the first process counts them once.
    """

    def __init__(self, model: nn.Module, rank: int, world: int, parts: int) -> None:
        self.first, self.place = rank - rank % parts, rank % parts
        self.groups: dict[int, Any] = {}
        self.group: Any = None
        for start in range(0, world, parts):
            for count in range(2, parts + 1):  # the last batch may have fewer parts
                group = dist.new_group(list(range(start, start + count)))
                if start == self.first:
                    self.groups[count] = group
        for norm in model.modules():
            if isinstance(norm, _BatchNorm):
                norm.__class__ = self.synced(type(norm))

    def synced(self, kind: type[Any]) -> type[Any]:
        """A class of batch norm that sees the whole batch while a group is open."""

        def forward(norm: Any, x: Tensor) -> Tensor:
            if self.group is None or not norm.training:
                return kind.forward(norm, x)
            return self.normalised(norm, x)

        return type(kind.__name__, (kind,), {"forward": forward})

    def begin(self, counted: int) -> None:
        """Open the group of a batch. counted: processes that have a part, the first."""
        parts = min(counted - self.first, len(self.groups) + 1)
        self.group = self.groups.get(parts) if self.place < parts else None

    def end(self) -> None:
        """Close the group: what is calculated from here on is of this process alone."""
        self.group = None

    def add_up(self, tensor: Tensor) -> None:
        """Replace a tensor by the sum over the group."""
        dist.all_reduce(tensor, group=self.group)

    def normalised(self, norm: Any, x: Tensor) -> Tensor:
        """What batch norm gives, by the mean and variance of the whole batch."""
        wide = x.to(torch.promote_types(x.dtype, torch.float32))
        rest = [dim for dim in range(x.dim()) if dim != 1]
        shape = [1, -1, *[1] * (x.dim() - 2)]
        own = torch.cat([wide.sum(rest), wide.new_tensor([x.numel() / x.shape[1]])])
        total: Tensor = SumOfAll.apply(own, self.add_up)
        mean, count = total[:-1] / total[-1], total[-1].detach()
        apart = wide - mean.view(shape)
        var = SumOfAll.apply(apart.square().sum(rest), self.add_up) / count
        out = apart * (var + norm.eps).rsqrt().view(shape)
        if norm.weight is not None:
            out = out * norm.weight.view(shape) + norm.bias.view(shape)
        if self.place == 0 and norm.running_mean is not None:
            self.count_once(norm, mean.detach(), (var * count / (count - 1)).detach())
        return out.to(x.dtype)

    @staticmethod
    def count_once(norm: Any, mean: Tensor, var: Tensor) -> None:
        """Update the running statistics as torch does."""
        norm.num_batches_tracked.add_(1)
        share = norm.momentum
        if share is None:  # all batches count alike
            share = 1 / int(norm.num_batches_tracked)
        norm.running_mean.lerp_(mean.to(norm.running_mean.dtype), share)
        norm.running_var.lerp_(var.to(norm.running_var.dtype), share)
