"""A CSV or TSV file as a table: columns of numbers, of categories, or of numbers made of dates."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from core.common.errors import DataError
from core.data.sources.custom_source import CustomSource
from core.data.sources.table_settings import FILLED, OTHER
from core.data.table.answers import Answers, read_answers
from core.data.table.cells import Cells, read_cells
from core.data.table.columns import ColumnRead, missing_mask, read_column, values_of, where
from core.data.table.split_column import Keys, kept_apart, keys_of, read_split_column

MOST_WORDS, MOST_CLASSES = 64, 1000
OF_TEXT = (
    "Remove it from the columns. To learn from a text alone, choose TextCSV as the source, with "
    "that column."
)


@dataclass(frozen=True)
class Table:
    """A file as read, its columns, and what is told of each row. rows: indices of the rows in use.
    split: the column that decides the part of each row, mode: how; None and "" without one."""

    read: Cells
    columns: tuple[ColumnRead, ...]
    answer: Answers
    rows: NDArray[np.intp]
    split: ColumnRead | None = None
    mode: str = ""

    @property
    def names(self) -> tuple[str, ...]:
        """Every column of the file."""
        return self.read.names

    @property
    def count(self) -> int:
        """How many samples there are."""
        return len(self.rows)

    @property
    def features(self) -> tuple[str, ...]:
        """Names of the values that the network may read, in order."""
        return tuple(value for column in self.columns for value in column.values)

    def inputs(self) -> NDArray[np.float64]:
        """Inputs of the network, (S, F): numbers, and a 1 at each row's category.

        NaN where a value is missing that training samples will fill.
        """
        whole = np.empty((self.count, len(self.features)))
        start = 0
        for column in self.columns:
            values = values_of(self.read, column)
            whole[:, start : start + values.shape[1]] = values[self.rows]
            start += values.shape[1]
        return whole

    def answers(self) -> NDArray[np.float64]:
        """Numbers or indices of the classes, (S,); 1 for each label of a row, (S, L)."""
        return self.answer.values(self.read, self.rows)

    def keys(self) -> Keys:
        """What decides the part of each row: a time, or a word; [] without such a column."""
        return keys_of(self.read, self.split, self.rows, self.mode) if self.split else []


def read_table(path: Path, given: CustomSource) -> Table:
    """Read a file and what its columns are. Raises DataError naming row and column."""
    read = read_cells(path, given.path, given.table)
    _all_there(given, read.names)
    chosen, answer = _chosen(given, read.names), read_answers(read, given)
    found = {c: read_column(read, c, given) for c in chosen}
    dated = next((column for column in answer.columns if column.date), None)
    if dated:
        raise DataError(
            f"{given.path}, column {dated.name}, holds dates, which cannot be a target.",
            "Choose another target.",
        )
    split = read_split_column(read, given)
    used = [*found.values(), *answer.columns, *filter(None, [split])]
    kept = _kept(read, used, (*answer.columns, split))
    if given.table.copies:
        kept = kept[_first_of_equal(read, used, kept)]
    _sensible(given.path, len(kept), found, answer)
    mode = given.split[0] if given.split else ""
    return Table(read, tuple(found.values()), answer.judged(read, kept), kept, split, mode)


def _chosen(given: CustomSource, names: Sequence[str]) -> tuple[str, ...]:
    """The columns that the network reads. Raises DataError where none is left."""
    targets = given.targets(names)
    apart = (*targets, *kept_apart(given))
    chosen = given.columns or tuple(column for column in names if column not in apart)
    if {*targets} & {*chosen} or not chosen:
        raise DataError(
            f"{given.path} has no column left to predict {' and '.join(targets)} from.",
            "Choose other columns.",
        )
    return chosen


def _all_there(given: CustomSource, names: Sequence[str]) -> None:
    named = (
        *given.columns,
        *given.categories,
        *filter(None, [given.target_column]),
        *given.target_columns,
        *dict(given.table.fill),
        *(date.name for date in given.table.dates),
    )
    for column in named:
        if column not in names:
            raise DataError(f"{given.path} has no column {column!r}.", f"It has {_few(names)}.")


def _kept(
    read: Cells, columns: Sequence[ColumnRead], complete: Sequence[ColumnRead | None]
) -> NDArray[np.intp]:
    """Rows in use: without those that are dropped for a missing value.

    complete: columns whose missing values cannot be filled: the target, and what decides the split.
    Raises DataError for missing values without a setting.
    """
    whole = np.ones(read.count, bool)
    for column in columns:
        holes = missing_mask(read, column)
        if not holes.any():
            continue
        if column.fill == "drop":
            whole &= ~holes
        elif not column.fill or column in complete or not _can(column):
            raise _incomplete(read, column, holes, column in complete)
    kept = np.flatnonzero(whole)
    if len(kept) < 2:
        raise DataError(
            f"{read.name} has {len(kept)} rows without missing values.",
            "Fill the missing values, or remove columns.",
        )
    return kept


def _first_of_equal(
    read: Cells, columns: Sequence[ColumnRead], rows: NDArray[np.intp]
) -> NDArray[np.intp]:
    """Which of some rows are left where only the first of those with the same cells stays."""
    places = sorted({column.place for column in columns})
    read.read_words(places)
    cells = np.stack([read.words(place).places[rows] for place in places], axis=1)
    return np.sort(np.unique(cells, axis=0, return_index=True)[1])


def _can(column: ColumnRead) -> bool:
    return (
        column.fill == "missing" or column.fill == "most_frequent"
        if column.words
        else (column.fill in FILLED)
    )


def fill_choices(column: ColumnRead, target: bool = False) -> tuple[str, ...]:
    """Choices for the missing values of a column, the default first."""
    return fill_choices_of(bool(column.words), target)


def fill_choices_of(category: bool, target: bool) -> tuple[str, ...]:
    """The same for a category, or for numbers or dates."""
    if target:
        return ("drop",)
    return ("missing", "most_frequent", "drop") if category else (*FILLED, "drop")


def _incomplete(
    read: Cells, column: ColumnRead, holes: NDArray[np.bool_], target: bool
) -> DataError:
    """What is missing, the first by its place, and what can be done."""
    places = np.flatnonzero(holes)
    cell = _cell(read, column, int(places[0]))
    what = f"is {cell!r}, a missing value" if cell else "is empty"
    more = f" {len(places) - 1} more rows have no value either." if len(places) > 1 else ""
    can = " or ".join(f'"{way}"' for way in fill_choices(column, target))
    return DataError(
        f"{where(read, places[0], column)}, {what}.{more}",
        f'Set data.fill to {{"{column.name}": {can}}}, as the Data page does, or '
        "remove the column.",
    )


def _cell(read: Cells, column: ColumnRead, index: int) -> str:
    words = read.words(column.place)
    return words.words[words.places[index]]


def _sensible(name: str, rows: int, columns: Mapping[str, ColumnRead], answer: Answers) -> None:
    target = "" if answer.labels else answer.name
    for column, found in {**columns, **({target: answer.columns[0]} if target else {})}.items():
        words = [word for word in found.words if word != OTHER]
        most, count = MOST_CLASSES if column == target else MOST_WORDS, len(words)
        if count > most or (count and count == rows):
            hint = "Choose another target." if column == target else OF_TEXT
            raise DataError(
                f"{name}, column {column}, has {count} different words in {rows} rows, "
                "so it is not a category.",
                hint,
            )
    if target and len(words := answer.columns[0].words) == 1:
        raise DataError(
            f"{name}, column {target}, is {words[0]!r} in every row.", "Choose another target."
        )


def _few(names: Sequence[str]) -> str:
    shown = ", ".join(names[:12])
    return f"{shown} and {len(names) - 12} more" if len(names) > 12 else shown
