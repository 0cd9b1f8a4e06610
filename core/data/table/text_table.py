"""A CSV or TSV file with texts and a class for each: its rows with both, and what splits them."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from core.common.errors import DataError
from core.data.sources.custom_source import CustomSource
from core.data.table.answers import Answers, read_answers
from core.data.table.cells import Cells, read_cells
from core.data.table.columns import ColumnRead, missing_mask, where
from core.data.table.read import MOST_CLASSES
from core.data.table.split_column import Keys, kept_apart, keys_of, read_split_column
from core.samples.text_tokens import joined


@dataclass(frozen=True)
class TextTable:
    """A file as read. places: of the columns of text. rows: indices of the rows in use. split: the
    column that decides the part of each row, mode: how; None and "" without one."""

    read: Cells
    columns: tuple[str, ...]
    places: tuple[int, ...]
    answer: Answers
    rows: NDArray[np.intp]
    split: ColumnRead | None = None
    mode: str = ""

    @property
    def classes(self) -> tuple[str, ...]:
        return self.answer.classes

    @property
    def left_out(self) -> int:
        """How many rows have no text or no class."""
        return self.read.count - len(self.rows)

    def texts(self) -> list[str]:
        """The text of each row; those of several columns are joined."""
        columns = [_cells(self.read, place, self.rows) for place in self.places]
        if len(columns) == 1:  # equal texts stay one object
            return columns[0]
        return [joined(row) for row in zip(*columns, strict=True)]

    def answers(self) -> NDArray[np.int64] | NDArray[np.float64]:
        """The class of each row, (S,); or 1 for each label of a row, (S, L)."""
        found = self.answer.values(self.read, self.rows)
        return found if self.answer.several else found.astype(np.int64)

    def keys(self) -> Keys:
        """What decides the part of each row: a time, or a word; [] without such a column."""
        return keys_of(self.read, self.split, self.rows, self.mode) if self.split else []


def read_text_table(path: Path, given: CustomSource) -> TextTable:
    """Read a file. Raises DataError naming the column."""
    read = read_cells(path, given.path, given.table)
    targets = given.targets(read.names)
    columns = _chosen(read, given, targets)
    known = replace(given, categories=() if given.target_columns else targets)
    answer, split = read_answers(read, known), read_split_column(read, given)
    places = tuple(read.names.index(column) for column in columns)
    told = [~missing_mask(read, column) for column in answer.columns]
    kept = np.all(told, axis=0) & _filled(read, places)
    rows = np.flatnonzero(kept)
    _check_rows(given.path, answer, rows)
    if split is not None and (holes := missing_mask(read, split) & kept).any():
        raise DataError(
            f"{where(read, np.flatnonzero(holes)[0], split)}, is empty, but decides the split.",
            "Fill it, remove the row, or split at random.",
        )
    mode = given.split[0] if given.split else ""
    return TextTable(read, columns, places, answer.judged(read, rows), rows, split, mode)


def _chosen(read: Cells, given: CustomSource, targets: Sequence[str]) -> tuple[str, ...]:
    """The columns of text: those of the settings, or the only other one. Raises DataError."""
    listed = ", ".join(read.names[:12])
    for column in (*given.columns, *targets):
        if column not in read.names:
            raise DataError(f"{given.path} has no column {column!r}.", f"It has {listed}.")
    apart = (*targets, *kept_apart(given), *given.split[1:2])
    chosen = given.columns or tuple(name for name in read.names if name not in apart)
    if len(chosen) != 1 and not given.columns:
        raise DataError(
            f"{given.path} has {len(chosen)} columns beside {', '.join(targets)}, and data.columns "
            "does not say which of them are text.",
            f"Name one or more in data.columns. The file has {listed}.",
        )
    return chosen


def _check_rows(name: str, answer: Answers, rows: NDArray[np.intp]) -> None:
    """Refuse a file without two classes, or without texts. Raises DataError."""
    target, count = ", ".join(answer.names), len(answer.classes)
    if len(rows) < 2:
        raise DataError(
            f"{name} has {len(rows)} rows with both a text and a value of {target}.",
            "Use a file with more rows, or choose other columns.",
        )
    if count < 2:
        raise DataError(
            f"{name}, column {target}, is {answer.classes[0]!r} in every row.",
            "Choose another target.",
        )
    if count > MOST_CLASSES or (count == len(rows) and not answer.labels):
        raise DataError(
            f"{name}, column {target}, has {count:,} different words in {len(rows):,} rows, so it "
            "is not a class.",
            "Choose another target.",
        )


def _filled(read: Cells, places: Sequence[int]) -> NDArray[np.bool_]:
    """Which rows have a text in one of these columns."""
    found = np.zeros(read.count, bool)
    for place in places:
        found |= ~read.words(place).is_any([""])
    return found


def _cells(read: Cells, place: int, rows: NDArray[np.intp]) -> list[str]:
    """The cells of a column; equal ones are one object in memory."""
    words = read.words(place)
    return [words.words[number] for number in words.places[rows].tolist()]
