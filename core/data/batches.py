"""The batches of an epoch (a sampler): a function of seed and epoch, without other state."""

from collections.abc import Iterator

import torch
from torch import Tensor
from torch.utils.data import Sampler


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


def noisy(batch: Tensor, std: float, generator: torch.Generator | None = None) -> Tensor:
    """Add Gaussian noise. Without a generator it comes from torch's own, as dropout does."""
    if not std:
        return batch
    if generator is None:
        return batch + std * torch.randn_like(batch)
    noise = torch.randn(batch.shape, generator=generator, device=generator.device)
    return batch + std * noise.to(batch.device)
