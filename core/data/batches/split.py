"""The split into training, validation and test samples."""

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from core.data.facts.info import DataInfo


def split(labels: Tensor, count: int, seed: int) -> tuple[Tensor, Tensor]:
    """Part samples in two by label (S,), `count` in the second, all in proportion."""
    order = torch.randperm(len(labels), generator=torch.Generator().manual_seed(seed))
    rank = torch.arange(len(labels)) * count
    chosen = torch.empty(len(labels), dtype=torch.bool)
    by_class = labels[order].argsort(stable=True)
    chosen[by_class] = (rank + count) // len(labels) > rank // len(labels)
    return order[~chosen], order[chosen]


def fold_of(labels: Tensor, folds: int, fold: int, seed: int) -> tuple[Tensor, Tensor]:
    """Part samples in two by label (S,), in the second those of a fold, counted from 1.

    Every sample is in one fold, and every fold has all labels in proportion.
    """
    order = torch.randperm(len(labels), generator=torch.Generator().manual_seed(seed))
    chosen = torch.zeros(len(labels), dtype=torch.bool)
    chosen[labels[order].argsort(stable=True)[fold - 1 :: folds]] = True
    return order[~chosen], order[chosen]


def split_in_parts(
    info: DataInfo,
    whole: int,
    answers: Tensor,
    makers: int,
    seed: int,
    keys: Sequence[Any] = (),
) -> tuple[Tensor, Tensor, Tensor]:
    """Indices of the training, validation and test part; the last may be empty.

    whole: number of samples; the last `makers` of them are the official test part, and before it is
    the official validation part, if there is one. keys: the group, time or value of each sample,
    where the settings name what decides; none for the order of the samples.
    """
    if info.split:
        return _split_by_rows(info, keys or range(whole), answers)
    if info.parts.split.seed is not None:
        seed = info.parts.split.seed
    if not info.parts.usual:
        return _split_as_set(info, whole, answers, makers, seed)
    return *_default_split(info, whole, answers, makers, seed), torch.arange(0)


def _split_by_rows(
    info: DataInfo, keys: Sequence[Any], answers: Tensor
) -> tuple[Tensor, Tensor, Tensor]:
    """Split by groups, in time, or by a column."""
    assert info.split is not None
    labels = answers.tolist() if info.split.proportional else []
    if info.split.window:
        labels = (~answers.isnan().any(1)).tolist()
    train, validation, test = (torch.tensor(rows) for rows in info.split.rows(keys, labels))
    if info.limit is not None and info.limit < len(train):
        by = answers if info.split.proportional else torch.zeros(len(keys))
        train = train[split(by[train], info.limit, info.split.seed)[1]]
    return train, validation, test.long()


def _default_split(
    info: DataInfo, whole: int, answers: Tensor, makers: int, seed: int
) -> tuple[Tensor, Tensor]:
    """Part in two: every class in proportion, where samples have one."""
    if answers.dim() != 1 or not info.classes:
        return _random_split(info, whole, seed)
    known = answers[: whole - makers - info.origin.validation]
    count = round(len(known) * (info.validation or 0))
    if info.validation is None:
        train, validation = torch.arange(len(known)), _validating(info, whole, makers)
    else:
        train, validation = split(known, count, seed)
    if info.limit is not None and info.limit < len(train):
        train = train[split(known[train], info.limit, seed)[1]]
    return train, validation


def _validating(info: DataInfo, whole: int, makers: int) -> Tensor:
    """Default validation rows: the official validation part, else the official test part."""
    last = whole - makers
    own = info.origin.validation
    return torch.arange(last - own, last) if own else torch.arange(last, whole)


def _random_split(info: DataInfo, whole: int, seed: int) -> tuple[Tensor, Tensor]:
    """Split at random, for samples without a single class."""
    order = torch.randperm(whole, generator=torch.Generator().manual_seed(seed))
    count = round(whole * (info.validation or 0))
    return order[count:][: info.limit], order[:count]


def _split_as_set(
    info: DataInfo, whole: int, answers: Tensor, makers: int, seed: int
) -> tuple[Tensor, Tensor, Tensor]:
    """Split by the settings: the test part first, so that it is the same in every fold."""
    parts, aside = info.parts, torch.arange(whole - makers, whole)
    by = answers if info.in_proportion else torch.zeros(whole)
    known = whole - makers - info.origin.validation
    rows, test = torch.arange(known), aside if parts.makers else aside[:0]
    if parts.test:
        rows, test = split(by[rows], round(len(rows) * parts.test), seed)
    if parts.folds:
        train, validation = fold_of(by[rows], parts.folds, parts.fold, seed)
        train, validation = rows[train], rows[validation]
    elif info.validation is None:
        train, validation = rows, _validating(info, whole, makers)
    else:
        count = round(known * info.validation)
        train, validation = split(by[rows], count, seed)
        train, validation = rows[train], rows[validation]
    if info.limit is not None and info.limit < len(train):
        train = train[split(by[train], info.limit, seed)[1]]
    return train, validation, test
