"""Rows of a table as its file has them, from what a network's Inputs receive."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch import Tensor

from core.data.batches.dataset import Dataset
from core.data.facts.row_fields import InputField, row_fields
from core.data.facts.row_words import row_words, shortest
from core.tasks.tensor_values import floats


def others_received(dataset: Dataset) -> tuple[str, ...]:
    """What Inputs receive that is neither a sample nor noise; () where a sample is all there is."""
    columns = (feed.column for feed in dataset.info.feeds)
    return tuple(column for column in columns if column not in ("input", "noise"))


def fields_of(dataset: Dataset) -> tuple[InputField, ...]:
    """What a person fills in for the whole row, whatever of it the Inputs receive."""
    fillers = () if dataset.fillers is None else floats(dataset.fillers)
    return row_fields(dataset.info, tuple(range(math.prod(dataset.info.sample_shape))), fillers)


def row_of(dataset: Dataset, inputs: Sequence[Tensor]) -> Mapping[str, Any]:
    """A sample of what all Inputs receive, (1, ...) each: {"row": its numbers in the data's own
    units, where all of them go in, "cells": what stands in each field, as its file has it}; {} for
    what is no row of a table. A column that does not go in has its mean."""
    info = dataset.info
    if info.kind != "table" or others_received(dataset):
        return {}
    row = torch.full((math.prod(info.sample_shape),), math.nan)
    for feed, value in zip(info.feeds, inputs, strict=True):
        if feed.column == "input":
            row[list(feed.picks) if feed.picks else slice(None)] = value.reshape(-1).float().cpu()
    known = bool(row.isfinite().all())
    moments = [] if dataset.mean is None or dataset.std is None else [dataset.mean, dataset.std]
    values = floats(row.nan_to_num(0.0))
    numbers = shortest(values, *(floats(each.reshape(-1)) for each in moments))
    return ({"row": numbers} if known else {}) | {"cells": row_words(fields_of(dataset), numbers)}


def cells_of(dataset: Dataset, inputs: Sequence[Tensor]) -> tuple[str, ...]:
    """What stands in each field of one sample's row; () for what is no row of a table."""
    return tuple(row_of(dataset, inputs).get("cells", ()))
