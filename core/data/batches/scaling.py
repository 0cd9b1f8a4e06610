"""Normalisation: brightness from 0 to 1, image size, mean 0 and standard deviation 1."""

import torch
from torch import Tensor
from torch.nn import functional as F

from core.data.batches.columns import Columns
from core.data.builtin.generated import OF_DIGITS
from core.data.facts.info import DataInfo


def scaled(info: DataInfo, samples: Tensor) -> Tensor:
    """As float32, the brightness of images from 0 to 1; tokens stay as they are."""
    if info.kind == "text":
        return samples
    if info.kind != "image":
        return samples.float()
    if info.package == "files":
        return samples.float() / float(info.layout["unit"])
    return samples.float() / (16 if info.source in ("digits", *OF_DIGITS) else 255)


def resized(samples: Tensor, info: DataInfo) -> Tensor:
    """Pictures (S, C, H, W) at the size that the Input needs; others unchanged."""
    if info.resize is None:
        return samples
    return F.interpolate(samples, info.resize, mode="bilinear", antialias=True)


def moments(train: Tensor, info: DataInfo) -> tuple[Tensor | None, Tensor | None]:
    """Mean and deviation of each channel (C, 1, 1) or column (F,), of windows (L, F) with all rows
    alike; None without normalisation."""
    if not info.normalize:
        return None, None
    dims = {"image": (0, 2, 3), "wave": (0, 2)}.get(info.kind, (0,))
    dims = (0, 1) if info.origin.ahead else dims  # all rows of all windows
    std, mean = torch.std_mean(train, dims, correction=0, keepdim=True)
    std[std == 0] = 1.0  # a value that never changes
    if info.origin.ahead:
        return mean[0].repeat(len(train[0]), 1), std[0].repeat(len(train[0]), 1)
    return mean[0], std[0]


def standardise(info: DataInfo, columns: Columns) -> tuple[float, float]:
    """Standardise the numbers of a regression in place; their mean and spread before."""
    if not info.standardised_target:
        return 0.0, 1.0
    name = "ahead" if info.origin.ahead else "label"
    numbers = columns.values[name]
    std, mean = torch.std_mean(numbers[columns.train], correction=0)
    std[std == 0] = 1.0
    columns.values[name] = (numbers - mean) / std
    return mean.item(), std.item()
