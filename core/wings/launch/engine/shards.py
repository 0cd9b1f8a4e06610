"""Weights sharded over the processes of a run by `fully_shard` (FSDP2), block by block.

Each rank keeps its rows of every weight. A block is gathered whole while it is calculated; its
gradients are added in the order of micro-batches, so that the sum is that of one process.
"""

from collections.abc import Callable, Collection, Sequence
from typing import Any

import torch
import torch.distributed as dist
from torch import Tensor, nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import FSDPModule, fully_shard
from torch.distributed.tensor import DTensor, distribute_tensor

from core.common.errors import RunError, TrainingError
from core.wings.launch.engine.rank_step import StepRounds
from core.wings.launch.engine.ranks import Ranks

Turn = Callable[[], StepRounds]


def shard(module: nn.Module, composites: Collection[str], ranks: Ranks, turn: Turn) -> None:
    """Shard a module in place: each composite that has weights of its own, and the rest.

    composites: paths in the module. turn: the round of the step under way. Raises TrainingError
    for a weight that has no rows.
    """
    for name, weight in module.named_parameters():
        if not weight.ndim:
            message = f"{name} is a single number, which cannot be sharded over processes."
            raise TrainingError("launcher.sharding", message, "Use ddp.")
    mesh = init_device_mesh(next(module.parameters()).device.type, (ranks.world,))
    for part in (*parts_of(module, composites), module):
        part.register_forward_hook(_without_views)
        sharded: Any = fully_shard(part, mesh=mesh)
        sharded.set_custom_all_gather(GatherWeights(ranks))
        sharded.set_custom_reduce_scatter(SumGradients(ranks, turn))
        sharded.set_force_sum_reduction_for_comms(True)
        sharded.set_gradient_divide_factor(1.0)
    assert isinstance(module, FSDPModule)


def parts_of(module: nn.Module, composites: Collection[str]) -> list[nn.Module]:
    """The parts that are gathered by themselves, inner ones first.

    A weight belongs to the innermost composite around it. A composite that shares a weight with
    another one is left to the whole module, as is one that only holds a list.
    """
    known = dict(module.named_modules(remove_duplicate=False))
    owners: dict[Tensor, dict[nn.Module, str]] = {}
    for name, weight in module.named_parameters(remove_duplicate=False):
        path = name.rpartition(".")[0]
        while path and (path not in composites or path not in known):
            path = path.rpartition(".")[0]
        owners.setdefault(weight, {})[known[path]] = path
    shared = {part for parts in owners.values() if len(parts) > 1 for part in parts}
    found = {part: path for parts in owners.values() for part, path in parts.items()}
    chosen = [
        part
        for part, path in found.items()
        if path and part not in shared and not isinstance(part, nn.ModuleList | nn.ModuleDict)
    ]
    return sorted(chosen, key=lambda part: -found[part].count("."))


def _without_views(_module: nn.Module, _inputs: Any, output: Any) -> Any:
    """The output of a block without views of other tensors: where a later block changes a view in
    place, `fully_shard` would not notice that its backward pass begins."""
    if isinstance(output, Tensor):
        return output.clone() if output._is_view() else output
    if type(output) in (tuple, list):
        return type(output)(_without_views(_module, _inputs, value) for value in output)
    return output


class _Exchange:
    """What `fully_shard` uses of an exchange."""

    def __init__(self, ranks: Ranks) -> None:
        self.ranks = ranks

    def allocate(self, size: Sequence[int], *, dtype: torch.dtype, device: torch.device) -> Tensor:
        """Memory for a message."""
        return torch.empty(*size, dtype=dtype, device=device)


class GatherWeights(_Exchange):
    """Brings the shards of a block to all ranks."""

    def __call__(
        self, output_tensor: Tensor, input_tensor: Tensor, group: Any, async_op: bool = False
    ) -> Any:
        """Raises RankLost."""
        with self.ranks.waiting():
            return dist.all_gather_into_tensor(output_tensor, input_tensor, group, async_op)


class SumGradients(_Exchange):
    """Adds the gradients of a block, each rank those of its shard, in the order of micro-batches.

    What a round comes to begins with the sum of the rounds before, so the weights have no gradient
    meanwhile. A block that is used twice in a forward pass has a second backward pass.
    """

    def __init__(self, ranks: Ranks, turn: Turn) -> None:
        super().__init__(ranks)
        self.turn = turn
        self._at = (-1, -1)
        self._total: Tensor | None = None

    def __call__(
        self,
        output_tensor: Tensor,
        input_tensor: Tensor,
        group: Any,
        op: Any,
        async_op: bool = False,
    ) -> None:
        """input_tensor: (ranks * size,); output_tensor: (size,). Raises RankLost."""
        parts = torch.empty_like(input_tensor)
        with self.ranks.waiting():
            dist.all_to_all_single(parts, input_tensor, group=group)
        turn = self.turn()
        rows = list(parts.view(self.ranks.world, -1)[: turn.counted(self.ranks.world)])
        if self._at != (turn.step, turn.number):
            if turn.number and self._at[0] == turn.step and self._total is not None:
                rows.insert(0, _like(self._total, output_tensor))
            self._at, self._total = (turn.step, turn.number), output_tensor
        output_tensor.copy_(rows[0])
        for row in rows[1:]:
            output_tensor.add_(row)


def _like(total: Tensor, output: Tensor) -> Tensor:
    if total.shape != output.shape:
        message = "The micro-batches of a step use different weights of a block."
        raise RunError("network", message, "Train with --sharding ddp.")
    return total


def local(tensor: Tensor) -> Tensor:
    """This rank's part of a sharded tensor, in the same memory; any other tensor itself."""
    return tensor.to_local() if isinstance(tensor, DTensor) else tensor


def whole(tensor: Tensor, ranks: Ranks) -> Tensor:
    """A sharded tensor gathered on all ranks; any other tensor itself. Raises RankLost."""
    if not isinstance(tensor, DTensor):
        return tensor
    with ranks.waiting():
        return tensor.full_tensor()


def joined(own: Tensor, like: Tensor, ranks: Ranks) -> Tensor:
    """Parts that ranks have of a tensor, which is sharded as `like` is, gathered on all ranks.

    Where `like` is not sharded, the own one. Raises RankLost.
    """
    if not isinstance(like, DTensor):
        return own
    sharded: Any = like.detach().clone()
    sharded.to_local().copy_(own)
    return whole(sharded, ranks)


def shard_like(tensor: Tensor, like: Tensor) -> Tensor:
    """This rank's part of a whole tensor that is sharded as `like` is; another one itself."""
    if not isinstance(like, DTensor) or tensor.shape != like.shape:
        return tensor
    sharded = distribute_tensor(tensor, like.device_mesh, like.placements, src_data_rank=None)
    return sharded.to_local()
