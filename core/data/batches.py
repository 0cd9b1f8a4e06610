"""The order of samples in an epoch (a sampler): a function of seed and epoch, without state."""

import torch
from torch import Tensor


def share(labels: Tensor, count: int, seed: int) -> tuple[Tensor, Tensor]:
    """Part the samples in two, `count` of them in the second, each class in the same proportion.

    Args:
        labels: (S,), what to keep in proportion; all equal where there are no classes.
    """
    order = torch.randperm(len(labels), generator=torch.Generator().manual_seed(seed))
    rank = torch.arange(len(labels)) * count
    chosen = torch.empty(len(labels), dtype=torch.bool)
    by_class = labels[order].argsort(stable=True)
    chosen[by_class] = (rank + count) // len(labels) > rank // len(labels)
    return order[~chosen], order[chosen]


def epoch_order(n: int, seed: int, epoch: int) -> Tensor:
    """The order of `n` samples in an epoch (from 0), the same whatever was drawn before."""
    return torch.randperm(n, generator=torch.Generator().manual_seed(1000 * seed + epoch))


def batches(order: Tensor, size: int) -> list[Tensor]:
    """Cut an order into batches. A last batch of one joins the one before: BatchNorm needs two."""
    parts = list(order.split(size))
    if len(parts[-1]) == 1 < len(parts[0]):
        parts[-2:] = [torch.cat(parts[-2:])]
    return parts


def noisy(batch: Tensor, std: float, generator: torch.Generator | None = None) -> Tensor:
    """Add Gaussian noise. Without a generator it comes from torch's own, as dropout does."""
    if not std:
        return batch
    if generator is None:
        return batch + std * torch.randn_like(batch)
    noise = torch.randn(batch.shape, generator=generator, device=generator.device)
    return batch + std * noise.to(batch.device)
