"""The kinds that a column of a table can be read as, and the rows that decide which it is."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.data.table.cells import Cells
from core.data.table.column_check import ColumnCheck
from core.data.table.columns import ColumnRead
from core.data.table.dates import example, formats_of, usual_parts
from core.data.table.guess import is_id
from core.data.table.read import MOST_CLASSES, MOST_WORDS

NUMBER, CATEGORY, DATE = "number", "category", "date"
SHOWN = 40  # characters of a cell
DAYS = (1900_00_00, 2100_00_00)
"""Between these lie dates that are written as one number, such as 20240131."""


@dataclass(frozen=True)
class Kinds:
    """possible: the kinds that its cells allow; why: the cells, by their rows, that make it what it
    is; form, parts: of the dates that it can be read as; text: whether it is words that do not come
    again, which no category holds."""

    possible: tuple[str, ...]
    why: str
    form: str = ""
    parts: tuple[str, ...] = ()
    text: bool = False


def kinds_of(read: Cells, judged: ColumnCheck, target: bool) -> Kinds:
    """What a column can be read as. target: whether it is what the network predicts."""
    column = judged.column
    form, parts = ("", ()) if target else _as_date(read, column)
    possible = [NUMBER] if _is_number(read, column) else []
    many, most = _different(read, column), MOST_CLASSES if target else MOST_WORDS
    fits = many <= most and many < read.count
    possible += [CATEGORY] if many > 1 and fits else []
    possible += [DATE] if form else []
    text = column.kind == CATEGORY and not fits
    return Kinds(tuple(possible), _why(read, judged, text), form, parts, text)


def _is_number(read: Cells, column: ColumnRead) -> bool:
    return column.place in read.numbers or read.reading(column.place).share > 0.5


def _known(read: Cells, column: ColumnRead) -> NDArray[np.float64] | None:
    """The numbers of a column that holds nothing else; None for another one."""
    values = read.numbers.get(column.place)
    return None if values is None else values[~np.isnan(values)]


def _different(read: Cells, column: ColumnRead) -> int:
    """How many different values a column has, missing ones left out."""
    values = _known(read, column)
    if values is not None:
        return len(np.unique(values))
    return len(_words(read, column))


def _words(read: Cells, column: ColumnRead) -> list[str]:
    gone = {*column.missing, *read.missing(column.place)}
    return [word for word in read.words(column.place).words if word not in gone]


def _as_date(read: Cells, column: ColumnRead) -> tuple[str, tuple[str, ...]]:
    """The likeliest format of a column's dates and the parts that differ; "" where it has none."""
    if column.date:
        return column.date, column.parts
    values = _known(read, column)
    if values is not None:
        low, high = DAYS
        if not len(values) or values.min() < low or values.max() > high:
            return "", ()
    words = _words(read, column)
    forms = formats_of(words)
    return (forms[0], usual_parts(words, forms[0])) if forms else ("", ())


def _why(read: Cells, judged: ColumnCheck, text: bool) -> str:
    column = judged.column
    if text:
        many = _different(read, column)
        return f"{many:,} different texts in {read.count:,} rows: {_cells(read, column, 1)}"
    if judged.problem:
        return judged.problem
    if column.kind == DATE:
        return f"dates written as {example(column.date)}: {_cells(read, column, 1)}"
    if column.kind == CATEGORY:
        numbers = " though they are numbers" if _is_number(read, column) else ""
        many = _different(read, column)
        return f"{many:,} categories{numbers}: {_cells(read, column, 2)}"
    counting = "numbers the rows, " if is_id(read, column.place) else ""
    return f"{counting}{'' if counting else 'numbers: '}{_cells(read, column, 2)}"


def _cells(read: Cells, column: ColumnRead, count: int) -> str:
    """The first different cells with their rows, such as 'hill' in row 2 and 'lake' in row 4."""
    rows = _first_rows(read, column, count)
    return " and ".join(f"{cell} in row {read.row(row)}" for cell, row in rows)


def _first_rows(read: Cells, column: ColumnRead, count: int) -> Sequence[tuple[str, int]]:
    values = read.numbers.get(column.place)
    if values is not None:
        known = np.flatnonzero(~np.isnan(values))
        _, first = np.unique(values[known], return_index=True)
        return [(f"{values[row]:g}", int(row)) for row in known[np.sort(first)[:count]]]
    words, gone = read.words(column.place), {*column.missing, *read.missing(column.place)}
    places, first = np.unique(words.places, return_index=True)
    found = [
        (words.words[place], int(row))
        for place, row in zip(places, first, strict=True)
        if words.words[place] not in gone
    ]
    found.sort(key=lambda each: each[1])
    return [(repr(cell[:SHOWN]), row) for cell, row in found[:count]]
