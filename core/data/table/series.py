"""A table whose rows are in time: its columns of numbers, ordered by a column of dates."""

from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from core.common.errors import DataError
from core.data.sources.bounds import MOST_CELLS
from core.data.sources.custom_source import CustomSource
from core.data.sources.series_settings import time_words
from core.data.table.cells import Cells, read_cells
from core.data.table.columns import ColumnRead, missing_mask, read_column, values_of, where

MOST_TWICE = 0.1
"""Share of rows whose date an other row has, too. Above it a file holds several series below each
other, or a date names a group: to keep one row of each would leave out most of the data."""
LEAST_WORKING_DAYS = 10
"""Rows from Monday to Friday that are working days rather than chance: two weeks."""
THURSDAY, SATURDAY = 3, 5
"""The weekday of 1970-01-01, and the first that is no working day; Monday is 0."""
Numbers = NDArray[np.float64]


@dataclass(frozen=True)
class SeriesTable:
    """A file as read, its rows as they stand there.

    columns: what a window holds of each row; target: what is predicted; date: None where the rows
    are in time as they stand. rows: those with a date. times: of these, days since 1970, or their
    places.
    """

    read: Cells
    columns: tuple[ColumnRead, ...]
    target: ColumnRead
    date: ColumnRead | None
    rows: NDArray[np.intp]
    times: Numbers

    @property
    def names(self) -> tuple[str, ...]:
        """Every column of the file."""
        return self.read.names

    def values(self) -> Numbers:
        """(N, F), NaN where a value is missing."""
        return np.concatenate([values_of(self.read, c) for c in self.columns], axis=1)[self.rows]

    def answers(self) -> Numbers:
        """(N,), NaN where a value is missing."""
        return values_of(self.read, self.target)[self.rows, 0]


@dataclass(frozen=True)
class SeriesFacts:
    """What is known of a series in time. times: of the rows that windows are cut of. known: of each
    window, by its first row, whether all its targets are. notes: what became of missing values,
    dates that come twice and gaps."""

    times: Numbers
    known: NDArray[np.bool_]
    notes: tuple[str, ...]


def read_series(path: Path, given: CustomSource) -> SeriesTable:
    """Read a file and what its columns are. Raises DataError naming row and column."""
    assert given.series is not None
    read = read_cells(path, given.path, given.table)
    date = _date_column(read, given)
    names = _numbers(read, given, date)
    if not names:
        raise DataError(
            f"{given.path} has no column of numbers beside {given.series.date or 'its others'}.",
            "A series needs one to predict.",
        )
    target = given.target_column or names[-1]
    found = {c: _number(read, c, given) for c in (*(given.columns or names), target)}
    columns = tuple(found[name] for name in given.columns or names)
    rows, times = _in_use(read, date)
    _check_size(given, len(rows), len(columns))
    return SeriesTable(read, columns, found[target], date, rows, times)


def facts_of_series(table: SeriesTable, window: int, ahead: int) -> SeriesFacts:
    """What windows a series has. Raises DataError where it is too short, or dates come twice."""
    name = table.read.name
    kept, twice = _last_of_each(table, name)
    order = kept[np.argsort(table.times[kept], kind="stable")]
    values, answers = table.values()[order], table.answers()[order]
    first = _first_complete(values, table)
    values, answers, times = values[first:], answers[first:], table.times[order][first:]
    if len(times) < window + ahead:
        raise DataError(
            f"{name} has {len(times):,} rows in time with a value in each column, but a window "
            f"reads {window:,} and predicts {ahead:,} more.",
            "Make data.window or data.ahead smaller, or use a longer file.",
        )
    known = np.lib.stride_tricks.sliding_window_view(~np.isnan(answers), ahead)[window:]
    notes = (
        *_twice_note(twice),
        *_first_note(first),
        *_filled_note(int(np.isnan(values).sum()), int(np.isnan(answers).sum()), table),
        *_gap_note(times, table.date),
    )
    return SeriesFacts(times, np.all(known, axis=1, keepdims=True)[:, 0], notes)


def are_working_days(times: Numbers) -> bool:
    """Whether rows in time are mostly one day apart, and never on a Saturday or Sunday."""
    if len(times) < LEAST_WORKING_DAYS or (times % 1).any() or np.median(np.diff(times)) != 1:
        return False
    return bool(((times + THURSDAY) % 7 < SATURDAY).all())


def steps_of(times: Numbers) -> Numbers:
    """The time between rows, in days, of which a weekend between working days is none."""
    if not are_working_days(times):
        return np.diff(times)
    days = times.astype(np.int64).astype("datetime64[D]")
    return np.busday_count(days[:-1], days[1:]).astype(np.float64)


def usual_step(times: Numbers) -> float:
    """The time between two rows that comes most often, in days; to a second. 0 where rows are
    working days: then a number of rows is no length of time in days."""
    if are_working_days(times):
        return 0.0
    steps = np.round(np.diff(times) * 86400)
    values, counts = np.unique(steps, return_counts=True)
    return float(values[counts.argmax()]) / 86400 if len(values) else 0.0


def _date_column(read: Cells, given: CustomSource) -> ColumnRead | None:
    """The column that orders the rows, as days. Raises DataError where it has no order in time."""
    assert given.series is not None
    name = given.series.date
    if not name:
        return None
    _there(read, given, name, "data.date_column")
    column = read_column(read, name, replace(given, categories=()))
    if column.words:
        cell = read.words(column.place)
        raise DataError(
            f"Row {read.row(0)} of {given.path}, column {name}, is "
            f"{cell.words[cell.places[0]][:40]!r}, neither a date nor a number: the column has no "
            "order in time.",
            "Choose a column of dates, or leave out data.date_column for the order of the rows.",
        )
    return replace(column, fill="drop", parts=("days",) if column.date else ())


def _there(read: Cells, given: CustomSource, name: str, key: str) -> None:
    if name not in read.names:
        raise DataError(
            f"{given.path} has no column {name!r}, which {key} names.",
            f"It has {', '.join(read.names[:12])}.",
        )


def _numbers(read: Cells, given: CustomSource, date: ColumnRead | None) -> tuple[str, ...]:
    """The columns of numbers, without the date and any other dates."""
    return tuple(
        name
        for name in read.names
        if (date is None or name != date.name) and read_column(read, name, given).kind == "number"
    )


def _number(read: Cells, name: str, given: CustomSource) -> ColumnRead:
    """A column of numbers. Raises DataError naming a cell that is none."""
    _there(read, given, name, "the project")
    column = read_column(read, name, given)
    if column.kind == "number":
        return column
    words = read.words(column.place)
    cell = next((w for w in words.words if w not in column.missing), "")
    at = where(read, int(np.argmax(words.places == words.words.index(cell))), column)
    what = "a target" if name == given.target_column else "a column"
    raise DataError(
        f"{at}, is {cell[:40]!r}, not a number: {what} of a series needs numbers.",
        "Choose other columns, or read the file as a table.",
    )


def _in_use(read: Cells, date: ColumnRead | None) -> tuple[NDArray[np.intp], Numbers]:
    """Rows that have a date, and their times. Raises DataError where none differ."""
    if date is None:
        return np.arange(read.count), np.arange(read.count, dtype=np.float64)
    rows = np.flatnonzero(~missing_mask(read, date))
    times = values_of(read, date)[rows, 0]
    if len(np.unique(times)) < 2:
        raise DataError(
            f"Column {date.name} of {read.name} has the same date in every row.",
            "Choose another column, or leave out data.date_column for the order of the rows.",
        )
    return rows, times


def _check_size(given: CustomSource, rows: int, columns: int) -> None:
    """Refuse windows that memory does not hold. Raises DataError."""
    assert given.series is not None
    cells = rows * columns * given.series.window
    if cells > MOST_CELLS:
        raise DataError(
            f"{given.path} makes {rows:,} windows of {given.series.window:,} rows and {columns} "
            f"columns: {cells:,} numbers, more than {MOST_CELLS:,}.",
            "Make data.window smaller, or choose fewer columns in data.columns.",
        )


def _last_of_each(table: SeriesTable, name: str) -> tuple[NDArray[np.intp], int]:
    """Rows without those whose time comes again later, and how many these are."""
    last = {time: row for row, time in enumerate(table.times.tolist())}
    twice = len(table.times) - len(last)
    if twice > MOST_TWICE * len(table.times) and table.date:
        time, many = Counter(table.times.tolist()).most_common(1)[0]
        row = int(np.argmax(table.times == time))
        words = table.read.words(table.date.place)
        cell = words.words[words.places[table.rows[row]]]
        raise DataError(
            f"{name} has {cell[:40]!r} in {many:,} rows of column {table.date.name}, and "
            f"{twice:,} of {len(table.times):,} rows have the date of another: a series has one "
            "row for each date.",
            "Keep the rows of one series in the file, or read it as a table.",
        )
    return np.array(sorted(last.values()), np.intp), twice


def _first_complete(values: Numbers, table: SeriesTable) -> int:
    """The first row by which every column has had a value. Raises DataError for an empty column."""
    known = ~np.isnan(values)
    for place, column in enumerate(table.columns):
        if not known[:, place].any():
            raise DataError(
                f"Column {column.name} of {table.read.name} has no value.",
                "Choose other columns in data.columns.",
            )
    return int(known.argmax(0).max()) if len(values) else 0


def _rows(count: int) -> str:
    return f"{count:,} row{'s' * (count != 1)}"


def _twice_note(twice: int) -> list[str]:
    if not twice:
        return []
    return [f"Left out: {_rows(twice)} whose date comes again below; the last one counts."]


def _first_note(first: int) -> list[str]:
    if not first:
        return []
    rows = "row" if first == 1 else f"{first:,} rows"
    return [f"Left out: the first {rows}, before every column has a value."]


def _filled_note(filled: int, unknown: int, table: SeriesTable) -> list[str]:
    values = f"{filled:,} missing value{'s' * (filled != 1)}"
    notes = [f"Filled: {values}, by the last known one of their column."] if filled else []
    if unknown:
        notes.append(f"Never predicted: {_rows(unknown)} without {table.target.name}.")
    return notes


def _gap_note(times: Numbers, date: ColumnRead | None) -> list[str]:
    """Steps longer than the usual one: rows count, whatever time lies between them."""
    if date is None or not date.date or len(times) < 2:
        return []
    step, steps = usual_step(times) or 1.0, steps_of(times)
    longer = steps > 1.5 * step  # a month has 28 to 31 days
    if not longer.any():
        return []
    count, (most, usual) = (
        int(longer.sum()),
        (time_words(float(each)) for each in (steps.max(), step)),
    )
    if are_working_days(times):
        most, usual = f"{steps.max():.0f} working days", "1"
    return [
        f"{count:,} gap{'s' * (count != 1)} in the dates, the longest {most} instead of "
        f"{usual}: a window counts rows, not days."
    ]
