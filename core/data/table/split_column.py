"""The column or array that decides the part of each row: read, checked, and told in a few facts."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.common.errors import DataError
from core.data.sources.custom_source import CustomSource
from core.data.table.arrays import read_array, readable_arrays
from core.data.table.cells import Cells
from core.data.table.columns import ColumnRead, read_column, values_of

MOST_VALUES = 1000
"""The most values of a column that names the parts, or folds."""
WANTED = "Use a column of dates or numbers, or leave out data.split_by for the order of the rows."
Keys = list[str] | list[float]


def read_split_column(read: Cells, given: CustomSource) -> ColumnRead | None:
    """The column of a table that decides the split; None without one. Raises DataError."""
    if not given.split:
        return None
    mode, name, _ = given.split
    if name not in read.names:
        raise DataError(
            f"{given.path} has no column {name!r}, which data.split_by names.",
            f"It has {', '.join(read.names[:12])}.",
        )
    if name in given.targets(read.names):
        raise DataError(
            f"data.split_by is {name!r}, which is the target of {given.path}.",
            "Choose another column.",
        )
    column = read_column(read, name, replace(given, categories=()) if mode == "time" else given)
    if mode == "time" and column.words:
        where = f"Row {read.row(0)} of {given.path}, column {name}"
        cell = read.words(column.place)
        raise DataError(
            f"{where}, is {cell.words[cell.places[0]][:40]!r}, neither a date nor a number: the "
            "column has no order in time.",
            WANTED,
        )
    return replace(column, parts=("days",)) if mode == "time" and column.date else column


def keys_of(read: Cells, column: ColumnRead, rows: NDArray[np.intp], mode: str) -> Keys:
    """The time of each row, in days or the column's own numbers; or the cell as it stands."""
    if mode == "time":
        return values_of(read, column)[rows, 0].tolist()
    words = read.words(column.place)
    return np.array(words.words, object)[words.places[rows]].tolist()


def keys_of_array(path: Path, given: CustomSource, samples: int) -> Keys:
    """The same of an array of an NPZ file. Raises DataError."""
    mode, name, _ = given.split
    there = readable_arrays(path, given.path)
    if name not in there:
        raise DataError(
            f"{given.path} has no array {name!r}, which data.split_by names.",
            f"It has {', '.join(there)}.",
        )
    values = read_array(path, given.path, name, *there[name])
    if values.shape != (samples,):
        raise DataError(
            f"{given.path} has {name} of {values.shape}, but {samples:,} samples.",
            "data.split_by needs an array with one value for each sample.",
        )
    if mode != "time":
        return [str(value) for value in values.tolist()]
    if values.dtype.kind == "U" or not np.isfinite(values).all():
        what = "words" if values.dtype.kind == "U" else "values that are not finite"
        raise DataError(f"{given.path}, array {name}, holds {what}, not times.", WANTED)
    return [float(value) for value in values.tolist()]


def facts_of(mode: str, keys: Keys, column: ColumnRead | None = None) -> dict[str, Any]:
    """What a page, a message and a script need to know of the keys.

    groups, largest: how many there are, and the name and rows of the largest. times, first, last:
    how many differ, and the ends. values: of a column of parts, with their rows, as they come.
    """
    found: dict[str, Any] = {"column": asdict(replace(column, words=()))} if column else {}
    if mode == "time":
        times = np.asarray(keys, np.float64)
        ends = {"first": float(times.min()), "last": float(times.max())}
        return {**found, "times": len(np.unique(times)), **ends}
    counts = Counter(keys)
    if mode == "column":
        return {**found, "values": _few(counts)}
    name, rows = counts.most_common(1)[0]
    if rows == 1:
        raise DataError(
            f"data.split_by names values that differ in each of {len(keys):,} samples, so no "
            "samples belong together.",
            "Choose another column, or split at random.",
        )
    return {**found, "groups": len(counts), "largest": [name, rows]}


def _few(counts: Mapping[Any, int]) -> list[list[Any]]:
    if len(counts) > MOST_VALUES:
        raise DataError(
            f"The column of data.split_by has {len(counts):,} different values, more than "
            f"{MOST_VALUES:,}, so it names no parts.",
            'Choose another column, or set data.split to "group".',
        )
    return [[name, rows] for name, rows in counts.items()]


def kept_apart(given: CustomSource) -> Sequence[str]:
    """Columns that are no inputs unless a project names them: of groups and of parts."""
    return given.split[1:2] if given.split and given.split[0] != "time" else ()
