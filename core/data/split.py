"""The split into training and validation samples: the data set's own, or by seed."""

import torch
from torch import Tensor

from core.data.batches import share
from core.data.info import DataInfo


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
        train, validation = share(known, count, seed)
    if info.limit is not None and info.limit < len(train):
        train = train[share(known[train], info.limit, seed)[1]]
    return train, validation


def _by_chance(info: DataInfo, whole: int, seed: int) -> tuple[Tensor, Tensor]:
    """Part by chance alone, where samples have no single class."""
    order = torch.randperm(whole, generator=torch.Generator().manual_seed(seed))
    count = round(whole * (info.validation or 0))
    return order[count:][: info.limit], order[:count]
