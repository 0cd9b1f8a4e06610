"""A histogram as TensorBoard reads it, in the few numbers that make it cheap to write."""

import math
from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

BINS, MOST_VALUES = 64, 65_536


def histogram(values: Tensor) -> dict[str, Any] | None:
    """What TensorBoard's histogram is made of, from at most MOST_VALUES, evenly chosen.

    None for no values, complex ones, and where one is not finite.
    """
    flat = values.detach().reshape(-1)
    if not len(flat) or flat.is_complex():
        return None
    flat = flat[:: math.ceil(len(flat) / MOST_VALUES)].double().cpu()
    low, high = (limit.item() for limit in flat.aminmax())
    if not math.isfinite(low) or not math.isfinite(high):
        return None
    limits, counts = _buckets(flat, low, high)
    return {
        "min": low, "max": high, "num": len(flat), "sum": flat.sum().item(),
        "sum_squares": flat.square().sum().item(), "bucket_limits": limits, "bucket_counts": counts,
    }  # fmt: skip


def _buckets(flat: Tensor, low: float, high: float) -> tuple[Sequence[float], Any]:
    """Upper limits of buckets of one width, and how many values each has."""
    if low == high:
        return [high], [len(flat)]
    limits = torch.linspace(low, high, BINS + 1, dtype=flat.dtype)[1:]
    return limits.tolist(), torch.histc(flat, BINS, low, high).tolist()
