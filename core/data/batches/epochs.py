"""The batches of an epoch (a sampler): a function of seed and epoch, without other state."""

from collections.abc import Iterator, Mapping
from typing import Any

import torch
from torch import Tensor
from torch.utils.data import RandomSampler, Sampler, SequentialSampler, WeightedRandomSampler


class EpochBatches(Sampler[Tensor]):
    """Batches of an epoch; a last one of one sample joins the one before."""

    def __init__(self, count: int, size: int, seed: int) -> None:
        self.count, self.size, self.seed, self.epoch = count, size, seed, 0

    def set_epoch(self, epoch: int) -> None:
        """Choose the epoch, from 0: the order follows from it and the seed alone."""
        self.epoch = epoch

    def __len__(self) -> int:
        return len(self.batches())

    def __iter__(self) -> Iterator[Tensor]:
        return iter(self.batches())

    def batches(self) -> list[Tensor]:
        """The batches of the epoch."""
        generator = torch.Generator().manual_seed(1000 * self.seed + self.epoch)
        batches = list(torch.randperm(self.count, generator=generator).split(self.size))
        if len(batches[-1]) == 1 < len(batches[0]):  # batch norm needs two samples
            batches[-2:] = [torch.cat(batches[-2:])]
        return batches


class SampledBatches(EpochBatches):
    """Batches of an epoch in a sampler's order, perhaps without a last, smaller one.

    generator: the sampler's, which is seeded anew for every epoch.
    """

    def __init__(
        self,
        order: Sampler[int],
        generator: torch.Generator,
        size: int,
        seed: int,
        drop_last: bool,
    ) -> None:
        super().__init__(0, size, seed)
        self.order, self.generator, self.drop_last = order, generator, drop_last

    def batches(self) -> list[Tensor]:
        """The batches of the epoch."""
        self.generator.manual_seed(1000 * self.seed + self.epoch)
        batches = list(torch.tensor(list(self.order)).split(self.size))
        if self.drop_last and len(batches[-1]) < len(batches[0]):
            batches.pop()
        if len(batches[-1]) == 1 < len(batches[0]):  # batch norm needs two samples
            batches[-2:] = [torch.cat(batches[-2:])]
        return batches


def balanced(labels: Tensor) -> Tensor:
    """Weights (S,) that draw classes equally often: 1 / samples of the class."""
    labels = labels.flatten().long().cpu()
    return 1 / labels.bincount()[labels]


def batches_of(
    training: Mapping[str, Any], count: int, weights: Tensor | None = None
) -> EpochBatches:
    """The batches of a run of `count` samples. weights: for a sampler that draws by weight."""
    size, seed, drop_last = training["batch_size"], training["seed"], training.get("drop_last")
    sampler = training.get("sampler", "shuffle")
    if sampler == "shuffle" and not drop_last:
        return EpochBatches(count, size, seed)
    generator = torch.Generator()
    order: Sampler[int] = SequentialSampler(range(count))
    if sampler == "balanced":
        assert weights is not None
        order = WeightedRandomSampler(weights.tolist(), count, generator=generator)
    elif sampler == "shuffle":
        order = RandomSampler(range(count), generator=generator)
    return SampledBatches(order, generator, size, seed, bool(drop_last))


def noisy(batch: Tensor, std: float, generator: torch.Generator | None = None) -> Tensor:
    """Add Gaussian noise. Without a generator it comes from torch's own, as dropout does."""
    if not std:
        return batch
    if generator is None:
        return batch + std * torch.randn_like(batch)
    noise = torch.randn(batch.shape, generator=generator, device=generator.device)
    return batch + std * noise.to(batch.device)
