"""The moving average of sharded weights: each rank averages its shards, and all buffers."""

from collections.abc import Iterator

import torch
from torch import Tensor, nn

from core.engine.ema import AveragedWeights
from core.wings.launch.engine.ranks import Ranks
from core.wings.launch.engine.shards import joined, local, shard_like


def tensors_of(module: nn.Module) -> list[Tensor]:
    """Weights and buffers."""
    return [*module.parameters(), *module.buffers()]


class ShardedAverage:
    """What a step calls instead of the average of a whole module.

    average: of the whole module, which it begins with. shards: the module that is trained.
    """

    def __init__(self, average: AveragedWeights, shards: nn.Module) -> None:
        self._like = tensors_of(shards)
        self._now = _Tensors([local(tensor) for tensor in self._like])
        self._average = AveragedWeights(
            self._now, multi_avg_fn=average.multi_avg_fn, use_buffers=True
        )
        self._average.n_averaged.copy_(average.n_averaged)
        mine = self._average.module.buffers()
        for own, known, like in zip(mine, tensors_of(average.module), self._like, strict=True):
            own.copy_(shard_like(known.detach(), like))

    def update_parameters(self, _: nn.Module) -> None:
        """Move the average towards the weights and buffers of the trained module."""
        self._average.update_parameters(self._now)

    def gather(self, ranks: Ranks) -> Iterator[Tensor]:
        """Its tensors in the order of `tensors_of`, whole, on all ranks. Raises RankLost."""
        for own, like in zip(self._average.module.buffers(), self._like, strict=True):
            yield joined(own, like, ranks)

    @property
    def count(self) -> Tensor:
        """How many steps it has averaged, ()."""
        return self._average.n_averaged


class _Tensors(nn.Module):
    """Tensors that lie elsewhere, as the buffers of a module."""

    def __init__(self, tensors: list[Tensor]) -> None:
        super().__init__()
        for index, tensor in enumerate(tensors):
            self.register_buffer(f"tensor{index}", tensor.detach())


@torch.no_grad()
def copy_into(targets: list[Tensor], values: Iterator[Tensor]) -> None:
    """Overwrite tensors by others, one after another; without targets the others are dropped."""
    for index, value in enumerate(values):
        if targets:
            targets[index].detach().copy_(value)
