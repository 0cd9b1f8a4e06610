"""The split into training and validation samples: the data set's own, or by seed."""

import torch
from torch import Tensor

from core.data.info import DataInfo


def split(labels: Tensor, count: int, seed: int) -> tuple[Tensor, Tensor]:
    """Part samples in two by label (S,), `count` in the second, all in proportion."""
    order = torch.randperm(len(labels), generator=torch.Generator().manual_seed(seed))
    rank = torch.arange(len(labels)) * count
    chosen = torch.empty(len(labels), dtype=torch.bool)
    by_class = labels[order].argsort(stable=True)
    chosen[by_class] = (rank + count) // len(labels) > rank // len(labels)
    return order[~chosen], order[chosen]


def parted(
    info: DataInfo, whole: int, answers: Tensor, test: int, seed: int
) -> tuple[Tensor, Tensor]:
    """Indices of both parts of `whole` samples, the last `test` of which are a part of their own.

    Every class is in both in proportion, where samples have one.
    """
    if answers.dim() != 1 or not info.classes:
        return _by_chance(info, whole, seed)
    known = answers[: len(answers) - test]
    count = round(len(known) * (info.validation or 0))
    if info.validation is None:
        train, validation = torch.arange(len(known)), torch.arange(len(known), len(answers))
    else:
        train, validation = split(known, count, seed)
    if info.limit is not None and info.limit < len(train):
        train = train[split(known[train], info.limit, seed)[1]]
    return train, validation


def _by_chance(info: DataInfo, whole: int, seed: int) -> tuple[Tensor, Tensor]:
    """Part by chance alone, where samples have no single class."""
    order = torch.randperm(whole, generator=torch.Generator().manual_seed(seed))
    count = round(whole * (info.validation or 0))
    return order[count:][: info.limit], order[:count]
