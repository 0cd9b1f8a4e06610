"""A CSV or TSV file: its delimiter and header found, every cell read as a number or a word."""

import csv
import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from core.data.errors import DataError
from core.data.given import Given

LARGEST_BYTES, MOST_COLUMNS = 200 << 20, 4096
DELIMITERS = (",", ";", "\t", "|")
MISSING = frozenset(("", "na", "n/a", "nan", "null", "none", "?"))
MOST_WORDS, MOST_CLASSES = 64, 1000


@dataclass(frozen=True)
class ColumnRead:
    """One column of a file. words: its categories in order, () for numbers."""

    name: str
    place: int
    words: tuple[str, ...] = ()

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


def read_table(path: Path, given: Given) -> Table:
    """Read a file and what its columns are. Raises DataError naming row and column."""
    name = given.path
    delimiter, header, names, rows = _cells(path, name)
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
        _complete(name, names, rows, place, header)
    plain = Table(name, delimiter, header, names, rows, (), ColumnRead(target, places[target]))
    words = {c: _words(plain, places[c], c in given.categories) for c in (*chosen, target)}
    _sensible(plain, words, target)
    found = {c: ColumnRead(c, places[c], words[c]) for c in words}
    columns = tuple(found[c] for c in chosen)
    return Table(name, delimiter, header, names, rows, columns, found[target])


def _cells(path: Path, name: str) -> tuple[str, bool, tuple[str, ...], list[list[str]]]:
    size = path.stat().st_size
    if size > LARGEST_BYTES:
        raise DataError(f"{name} has {size / 1e6:,.0f} MB, more than {LARGEST_BYTES >> 20}.",
                        "Take fewer rows, or save it as NPZ.")  # fmt: skip
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            first = file.readline()
            delimiter = max(DELIMITERS, key=first.count)
            file.seek(0)
            rows = [row for row in csv.reader(file, delimiter=delimiter) if any(row)]
    except UnicodeDecodeError as error:
        raise DataError(f"{name} is no UTF-8 text (byte {error.start}).",
                        "Save it as CSV in UTF-8.") from error  # fmt: skip
    except csv.Error as error:
        raise DataError(f"{name} is no table: {error}.", "Save it as CSV again.") from error
    if len(rows) < 3:
        raise DataError(f"{name} has {len(rows)} rows.", "A table needs more to learn from.")
    header = not any(_number(cell) is not None for cell in rows[0])
    names = tuple(c.strip() for c in rows[0]) if header else ()
    names = names or tuple(f"column_{i}" for i in range(1, len(rows[0]) + 1))
    rows = rows[1:] if header else rows
    _even(name, names, rows, header)
    return delimiter, header, names, [[cell.strip() for cell in row] for row in rows]


def _even(name: str, names: tuple[str, ...], rows: list[list[str]], header: bool) -> None:
    if len(names) < 2 or len(names) > MOST_COLUMNS:
        raise DataError(f"{name} has {len(names)} columns.", f"A table needs 2 to {MOST_COLUMNS}: "
                        "one to be told, others to tell it from.")  # fmt: skip
    twice = [n for n in names if names.count(n) > 1 or not n]
    if twice:
        raise DataError(f"{name} has two columns called {twice[0]!r}, or one without a name.",
                        "Give every column its own name in the first row.")  # fmt: skip
    for number, row in enumerate(rows, 1 + header):
        if len(row) != len(names):
            raise DataError(f"Row {number} of {name} has {len(row)} cells, the first has "
                            f"{len(names)}.", "Repair the row.")  # fmt: skip


def _complete(
    name: str, names: tuple[str, ...], rows: list[list[str]], place: int, header: bool
) -> None:
    """Refuse missing values, the first by its place."""
    holes = [i for i, row in enumerate(rows) if row[place].lower() in MISSING]
    if holes:
        cell = rows[holes[0]][place]
        what = f"says {cell!r}" if cell else "is empty"
        more = f" {len(holes) - 1} more rows miss it too." if len(holes) > 1 else ""
        where = f"Row {holes[0] + 1 + header} of {name}, column {names[place]},"
        raise DataError(f"{where} {what}.{more}",
                        "Fill it in, remove the row, or leave the column out.")  # fmt: skip


def _number(cell: str) -> float | None:
    try:
        found = float(cell)
    except ValueError:
        return None
    return found if math.isfinite(found) else None


def _words(table: Table, place: int, told: bool) -> tuple[str, ...]:
    """The categories of a column; () where it holds numbers."""
    cells = [row[place] for row in table.rows]
    numbers = sum(_number(cell) is not None for cell in cells)
    if not told and 2 * numbers > len(cells):
        return ()
    words = set(cells)
    if numbers == len(cells):
        return tuple(sorted(words, key=lambda cell: (float(cell), cell)))
    return tuple(sorted(words))


def _sensible(table: Table, words: dict[str, tuple[str, ...]], target: str) -> None:
    for column, found in words.items():
        most = MOST_CLASSES if column == target else MOST_WORDS
        if len(found) > most or (found and len(found) == len(table.rows)):
            raise DataError(f"{table.name}, column {column}, has {len(found)} different words in "
                            f"{len(table.rows)} rows, so it is no category.",
                            "Leave it out of the columns.")  # fmt: skip
    if len(words[target]) == 1:
        raise DataError(f"{table.name}, column {target}, says {words[target][0]!r} in every row.",
                        "Choose another target.")  # fmt: skip


def _numbers(table: Table, column: ColumnRead) -> NDArray[np.float64]:
    found = [_number(row[column.place]) for row in table.rows]
    for i, value in enumerate(found):
        if value is None:
            cell = table.rows[i][column.place]
            raise DataError(f"Row {i + 1 + table.header} of {table.name}, column {column.name}, "
                            f"says {cell!r}, which is no number.",
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
