"""What the columns of a table hold: numbers, categories or dates, and how they are written."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from core.common.errors import DataError
from core.data.sources.custom_source import CustomSource
from core.data.sources.table_settings import OTHER
from core.data.table.cells import Cells, as_numbers
from core.data.table.dates import formats_of, numbers_of, usual_parts
from core.samples.number_spelling import NumberSpelling, not_a_number


@dataclass(frozen=True)
class ColumnRead:
    """One column of a file. words: its categories in order, () for numbers and dates.

    decimal, thousands, symbol, minus: how its numbers are written. missing: the cells that hold no
    value; fill: what becomes of them. date: the format of its dates, parts: the numbers made of
    them. dashes: how some numbers end that have no cents, such as ",-".
    """

    name: str
    place: int
    words: tuple[str, ...] = ()
    decimal: str = "."
    thousands: str = ""
    symbol: str = ""
    minus: str = ""
    missing: tuple[str, ...] = ()
    fill: str = ""
    date: str = ""
    parts: tuple[str, ...] = ()
    dashes: tuple[str, ...] = ()

    @property
    def values(self) -> tuple[str, ...]:
        """What the network sees of it: itself, or one value for each category or part."""
        if self.date:
            return tuple(f"{self.name} ({part})" for part in self.parts)
        return tuple(f"{self.name}={word}" for word in self.words) or (self.name,)

    @property
    def spelling(self) -> NumberSpelling:
        return NumberSpelling(self.decimal, self.thousands, self.symbol, self.minus)

    @property
    def kind(self) -> Literal["number", "category", "date"]:
        return "date" if self.date else "category" if self.words else "number"


def read_column(read: Cells, name: str, given: CustomSource) -> ColumnRead:
    """Read a column: by the settings, else by its cells."""
    index, fill = read.names.index(name), given.table.fill_of(name)
    plain = index in read.numbers and name not in given.categories
    date = given.table.date_of(name)
    if plain and date is None:
        holes = tuple(sorted(read.missing(index))) if np.isnan(read.numbers[index]).any() else ()
        decimal = read.decimal or "."
        return ColumnRead(name, index, decimal=decimal, missing=holes, fill=fill)
    holes = tuple(sorted(read.missing(index)))
    if date is not None:
        return ColumnRead(name, index, missing=holes, fill=fill, date=date.format, parts=date.parts)
    words = [word for word in read.words(index).words if word not in holes]
    if name not in given.categories:
        spelled = read.reading(index)
        if spelled.share > 0.5:
            spelling = spelled.spelling
            return ColumnRead(
                name,
                index,
                (),
                spelling.decimal,
                spelling.thousands,
                spelling.symbol,
                spelling.minus,
                holes,
                fill,
                dashes=spelling.dashes(words),
            )
        if forms := formats_of(words):
            parts = usual_parts(words, forms[0])
            return ColumnRead(name, index, missing=holes, fill=fill, date=forms[0], parts=parts)
    if holes and fill == "missing" and OTHER not in words:
        words.append(OTHER)
    return ColumnRead(name, index, sorted_words(words), missing=holes, fill=fill)


def sorted_words(words: list[str]) -> tuple[str, ...]:
    """Words by the alphabet, numbers by their size; the category of missing values comes last."""
    plain, own = NumberSpelling(), [word for word in words if word != OTHER]
    sizes: Mapping[str, float | None] = {word: plain.number(word) for word in own}
    if all(size is not None for size in sizes.values()):
        ordered = sorted(own, key=lambda word: (sizes[word] or 0.0, word))
    else:
        ordered = sorted(own)
    return (*ordered, *(word for word in words if word == OTHER))


def missing_mask(read: Cells, column: ColumnRead) -> NDArray[np.bool_]:
    """Which rows miss a value of this column."""
    if column.place in read.numbers and not column.words and not column.date:
        return np.isnan(read.numbers[column.place])
    return read.words(column.place).is_any(column.missing)


def values_of(read: Cells, column: ColumnRead) -> NDArray[np.float64]:
    """What the network sees of a column, (S, values); NaN where a missing one is filled later.

    Raises DataError naming the row of a cell that cannot be read.
    """
    if column.words:
        return _marked(read, column)
    if column.date:
        return _dates(read, column)
    found = read.numbers.get(column.place)
    if found is None:
        found = as_numbers(read.words(column.place), column.spelling, column.missing)
        _all_numbers(read, column, found)
    return found[:, None]


def _all_numbers(read: Cells, column: ColumnRead, numbers: NDArray[np.float64]) -> None:
    bad = np.flatnonzero(np.isinf(numbers))
    if len(bad):
        words = read.words(column.place)
        cell = words.words[words.places[bad[0]]]
        more = f" The same holds for {len(bad) - 1} more rows." if len(bad) > 1 else ""
        why = f"is {cell!r}, which is {not_a_number(cell)}"
        raise DataError(
            f"{where(read, bad[0], column)}, {why}.{more}",
            "Correct the cell, list the word as a missing value, or make the column a category.",
        )


def where(read: Cells, index: int, column: ColumnRead) -> str:
    """The place of a cell, as a sentence begins."""
    return f"Row {read.row(int(index))} of {read.name}, column {column.name}"


def _marked(read: Cells, column: ColumnRead) -> NDArray[np.float64]:
    """A 1 at the category of each row."""
    words = read.words(column.place)
    at = {word: i for i, word in enumerate(column.words)}
    codes = [
        at[OTHER] if w in column.missing and OTHER in at else at.get(w, -1) for w in words.words
    ]
    found = np.array(codes)[words.places]
    marks = (found[:, None] == np.arange(len(column.words))).astype(np.float64)
    marks[found < 0] = np.nan
    return marks


def _dates(read: Cells, column: ColumnRead) -> NDArray[np.float64]:
    words = read.words(column.place)
    rows: list[list[float]] = []
    for i, word in enumerate(words.words):
        if word in column.missing:
            rows.append([np.nan] * len(column.parts))
            continue
        at = where(read, int(np.argmax(words.places == i)), column)
        rows.append(numbers_of(word, column.date, column.parts, at))
    return np.array(rows, np.float64)[words.places]
