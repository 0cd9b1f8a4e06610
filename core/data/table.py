"""A CSV or TSV file as a table: columns of numbers, or of categories."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from core.data.cells import MISSING, Cells, read_cells, to_number
from core.data.custom_source import CustomSource
from core.errors import DataError

MOST_WORDS, MOST_CLASSES = 64, 1000
_COMMA = re.compile(r"[+-]?\d+(,\d+)?([eE][+-]?\d+)?")
_THOUSANDS = re.compile(r"[+-]?[1-9]\d{0,2}(,\d{3})+")
_DRESSED = re.compile(r"[+-]?[$€£]? ?\d{1,3}([,' ]?\d{3})*([.,]\d+)? ?[%$€£]?")


@dataclass(frozen=True)
class ColumnRead:
    """One column of a file. words: its categories in order, () for numbers.

    comma: whether its numbers are written with a comma for the point.
    """

    name: str
    place: int
    words: tuple[str, ...] = ()
    comma: bool = False

    @property
    def values(self) -> tuple[str, ...]:
        """What the network sees of it: itself, or one value for each category."""
        return tuple(f"{self.name}={word}" for word in self.words) or (self.name,)


@dataclass(frozen=True)
class Table:
    """A file as read: all cells, and what the columns are."""

    name: str
    delimiter: str
    header: bool
    names: tuple[str, ...]
    rows: list[list[str]]
    columns: tuple[ColumnRead, ...]
    target: ColumnRead

    @property
    def features(self) -> tuple[str, ...]:
        """Names of the values that the network may read, in order."""
        return tuple(value for column in self.columns for value in column.values)

    def inputs(self) -> NDArray[np.float64]:
        """What the network may read, (S, F): numbers, and a 1 at each row's category."""
        return np.stack([v for c in self.columns for v in _values(self, c)], axis=1)

    def answers(self) -> NDArray[np.float64]:
        """Numbers, or the places of the classes, (S,)."""
        if not self.target.words:
            return _numbers(self, self.target)
        place = {word: i for i, word in enumerate(self.target.words)}
        return np.array([float(place[row[self.target.place]]) for row in self.rows])


def read_table(path: Path, given: CustomSource) -> Table:
    """Read a file and what its columns are. Raises DataError naming row and column."""
    name, read = given.path, read_cells(path, given.path)
    names = read.names
    places = {column: i for i, column in enumerate(names)}
    for column in (*given.columns, *given.categories, *filter(None, [given.target_column])):
        if column not in places:
            raise DataError(f"{name} has no column {column!r}.", f"It has {_few(names)}.")
    target = given.target_column or names[-1]
    chosen = given.columns or tuple(column for column in names if column != target)
    if target in chosen or not chosen:
        raise DataError(f"{name} has no column left to learn {target} from.",
                        "Choose other columns.")  # fmt: skip
    for place in (*(places[column] for column in chosen), places[target]):
        _complete(name, read, place)
    every = (*chosen, target)
    found = {c: read_column(name, read, c, c in given.categories) for c in every}
    _sensible(name, len(read.rows), found, target)
    columns = tuple(found[c] for c in chosen)
    return Table(name, read.delimiter, read.header, names, read.rows, columns, found[target])


def _complete(name: str, read: Cells, place: int) -> None:
    """Refuse missing values, the first by its place."""
    holes = [i for i, row in enumerate(read.rows) if row[place].lower() in MISSING]
    if holes:
        cell = read.rows[holes[0]][place]
        what = f"says {cell!r}" if cell else "is empty"
        more = f" {len(holes) - 1} more rows miss it too." if len(holes) > 1 else ""
        where = f"Row {holes[0] + 1 + read.header} of {name}, column {read.names[place]},"
        raise DataError(f"{where} {what}.{more}",
                        "Fill it in, remove the row, or leave the column out.")  # fmt: skip


def read_column(name: str, read: Cells, column: str, is_category: bool) -> ColumnRead:
    """What a column holds. is_category: whether the project says that it is a category.

    Raises DataError for numbers that are written with more than digits and a point.
    """
    place = read.names.index(column)
    cells = [row[place] for row in read.rows]
    numbers = sum(to_number(cell) is not None for cell in cells)
    if not is_category and 2 * numbers > len(cells):
        return ColumnRead(column, place)
    if not is_category and _with_commas(cells):
        return ColumnRead(column, place, comma=True)
    if not is_category and all(map(_DRESSED.fullmatch, cells)):
        row = next(i for i, cell in enumerate(cells) if to_number(cell) is None)
        raise DataError(f"Row {row + 1 + read.header} of {name}, column {column}, says "
                        f"{cells[row]!r}, which is no number as it is written.",
                        "Write it with digits and a point alone, or say that the column is a "
                        "category.")  # fmt: skip
    if numbers == len(cells):
        words = sorted(set(cells), key=lambda cell: (float(cell), cell))
    else:
        words = sorted(set(cells))
    return ColumnRead(column, place, tuple(words))


def _with_commas(cells: Sequence[str]) -> bool:
    """Whether these are numbers with a comma for the point, rather than one between thousands."""
    found = [cell for cell in cells if "," in cell]
    numbers = bool(found) and all(map(_COMMA.fullmatch, cells))
    return numbers and not all(map(_THOUSANDS.fullmatch, found))


def _sensible(name: str, rows: int, columns: Mapping[str, ColumnRead], target: str) -> None:
    for column, found in columns.items():
        most, count = MOST_CLASSES if column == target else MOST_WORDS, len(found.words)
        if count > most or (count and count == rows):
            hint = "Choose another target." if column == target else "Leave it out of the columns."
            raise DataError(f"{name}, column {column}, has {count} different words in {rows} rows, "
                            "so it is no category.", hint)  # fmt: skip
    if len(words := columns[target].words) == 1:
        raise DataError(f"{name}, column {target}, says {words[0]!r} in every row.",
                        "Choose another target.")  # fmt: skip


def _numbers(table: Table, column: ColumnRead) -> NDArray[np.float64]:
    cells = [row[column.place] for row in table.rows]
    found = [to_number(cell.replace(",", ".") if column.comma else cell) for cell in cells]
    for i, value in enumerate(found):
        if value is None:
            raise DataError(f"Row {i + 1 + table.header} of {table.name}, column {column.name}, "
                            f"says {cells[i]!r}, which is no number.",
                            "Repair the cell, or say that the column is a category.")  # fmt: skip
    return np.array(found, np.float64)


def _values(table: Table, column: ColumnRead) -> list[NDArray[np.float64]]:
    if not column.words:
        return [_numbers(table, column)]
    cells = np.array([row[column.place] for row in table.rows], dtype=object)
    return [(cells == word).astype(np.float64) for word in column.words]


def _few(names: Sequence[str]) -> str:
    shown = ", ".join(names[:12])
    return f"{shown} and {len(names) - 12} more" if len(names) > 12 else shown
