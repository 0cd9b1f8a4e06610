"""Where the samples that validate stand in the user's own files: rows, or files by name."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch

from core.data import Dataset
from core.data.batches.custom_tensors import texts_of
from core.data.batches.split import split_in_parts
from core.data.facts.info import DataInfo
from core.data.facts.picture_listing import pictures_of
from core.data.pictures.series import series_of_all
from core.data.sources.paths import locate
from core.data.table.cells import Cells
from core.data.table.read import read_table
from core.data.table.text_table import TextTable
from core.wings.findings.table_view import Ints

Place = int | str
"""A row as the file counts them, or the name of a file."""


def places_of(dataset: Dataset) -> tuple[Place, ...]:
    """Row or file of each sample that validates, in their order; () where they have none.

    Raises DataError where the files are no longer there.
    """
    info = dataset.info
    if info.custom is None or info.source not in READERS:
        return ()
    names, answers, keys = READERS[info.source](info, dataset)
    where = dataset.validation_indices
    if info.limit is not None:  # what is kept of all samples is counted anew
        labels = torch.as_tensor(np.asarray(answers))
        makers = info.origin.test
        where = split_in_parts(info, len(names), labels, makers, dataset.seed, keys)[1]
    return tuple(names[i] for i in where.tolist())


Listed = tuple[Sequence[Place], Any, Sequence[Any]]
"""Of all samples: their places, their answers, and what decides their part."""


def rows_of(read: Cells, rows: Ints) -> list[int]:
    """Rows as the file counts them, of rows in use."""
    numbers = np.frombuffer(read.structure.rows, read.structure.rows.typecode)
    return [int(row) for row in numbers[rows]]


def _table(info: DataInfo, _: Dataset) -> Listed:
    assert info.custom is not None
    table = read_table(locate(info.custom.path, info.custom.key), info.custom)
    return rows_of(table.read, table.rows), table.answers(), table.keys()


def _texts(info: DataInfo, _: Dataset) -> Listed:
    read = texts_of(info)
    rows = rows_of(read.read, read.rows) if isinstance(read, TextTable) else read.names
    return rows, read.answers(), read.keys()


def _pictures(info: DataInfo, dataset: Dataset) -> Listed:
    listing = pictures_of(info.origin, info.custom)
    gone = {*dataset.left_out}
    series = series_of_all(listing, info.custom) if info.custom and info.custom.split else ()
    kept = [i for i, picture in enumerate(listing.pictures) if picture.name not in gone]
    return (
        [listing.pictures[i].name for i in kept],
        [listing.pictures[i].label for i in kept],
        [series[i] for i in kept] if series else [],
    )


READERS = {"CSV": _table, "TextCSV": _texts, "TextFolder": _texts, "ImageFolder": _pictures}
