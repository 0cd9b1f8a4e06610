"""Whether a table is a series, a row for each step of time, and the settings that fit it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from core.data.sources.custom_source import CustomSource, read_custom_source
from core.data.sources.series_settings import WINDOW, time_words
from core.data.sources.table_settings import KEYS as SPELLED
from core.data.table.cells import Cells, read_cells
from core.data.table.columns import ColumnRead, missing_mask, read_column, values_of
from core.data.table.guess import Guess, guess_table
from core.data.table.season import follows, known_before, season_of
from core.data.table.series import Numbers, SeriesTable, read_series, steps_of, usual_step

LEAST_ROWS = 30
"""Rows of a table that is read as a series unasked: fewer leave no season and few windows."""
EVEN = 0.95
"""Share of the steps that take the usual time, where a table is a series unasked: a few gaps are
days on which nothing was measured; dates of customers or orders come at any distance."""
MONTH = (28.0, 31.0)
YEAR = (365.0, 366.0)
"""Days of steps that are even, though not equal."""
SEASONS, LONGEST = 2, 168
"""Seasons of a suggested window, and the most rows of one: a week of hours."""
LEARNED = 0.8
"""Share of the rows in which a season is looked for: those that are learned from unless the project
says otherwise, so that a window is suggested by nothing that validates."""
Data = Mapping[str, Any]


@dataclass(frozen=True)
class InTime:
    """A column of dates that orders a table. step: the usual time between two rows, in days, 0 for
    working days. even: whether all but a few rows have it, and no date comes twice."""

    column: str
    step: float
    even: bool


def in_time(read: Cells, given: CustomSource) -> InTime | None:
    """The first column of dates whose rows are almost all of another date; None without one."""
    for name in read.names:
        column = read_column(read, name, given)
        if not column.date:
            continue
        column = replace(column, parts=("days",))
        times = np.sort(values_of(read, column)[~missing_mask(read, column), 0])
        unique = np.unique(times)
        if len(unique) < LEAST_ROWS or len(unique) < 0.9 * read.count:
            continue
        even = len(unique) == read.count and _even_share(unique) >= EVEN
        return InTime(name, usual_step(unique), even)
    return None


def may_be_in_time(read: Cells, columns: Sequence[ColumnRead], target: ColumnRead) -> bool:
    """Whether rows may be steps in time: each has a date, a number goes in even steps, or the
    target follows what stands above it."""
    if any(column.date for column in columns):
        return True
    numbers = [column for column in columns if column.kind == "number"]
    if read.count < LEAST_ROWS or not numbers:
        return False
    if any(_goes_evenly(values_of(read, column)[:, 0]) for column in numbers):
        return True
    values = values_of(read, target)[:, 0] if target.kind == "number" else np.zeros(0)
    return bool(np.isfinite(values).any()) and follows(known_before(values))


def _goes_evenly(values: Numbers) -> bool:
    """Whether numbers rise or fall by one step from row to row."""
    steps = np.diff(values)
    return bool(steps[0]) and bool(np.allclose(steps, steps[0], rtol=1e-6))


def _even_share(times: Numbers) -> float:
    """The share of the steps that are as long as the usual one, or a month or year as it."""
    steps, step = steps_of(times), usual_step(times) or 1.0
    low, high = next(((a, b) for a, b in (MONTH, YEAR) if a <= step <= b), (step, step))
    return float(((steps >= low - 1e-6) & (steps <= high + 1e-6)).mean())


def guess_series(path: Path, name: str, given: Data | None = None) -> Guess:
    """Settings of a table that is read as a series. given: what somebody decided.

    Raises DataError where it has no numbers.
    """
    data = {k: v for k, v in (given or {}).items() if k in (*SPELLED, "date_column") if k != "fill"}
    source = read_custom_source({"source": "CSV", "file": name, **_table(data)})
    assert source is not None
    read = read_cells(path, name, source.table)
    found = in_time(read, source)
    if "date_column" not in data and found:
        data = {"date_column": found.column, **data}
    target = (given or {}).get("target_column") or _target(path, name, read, source, data)
    data |= {"target_column": target} if target else {}
    whole = read_custom_source({"source": "SeriesCSV", "file": name, **data, "window": 1})
    assert whole is not None
    table = read_series(path, whole)
    window, season = suggested_window(table)
    step = found.step if found and data.get("date_column") == found.column else 0.0
    if table.target.name == table.columns[-1].name:  # the usual one
        data.pop("target_column", None)
    own = {"source": "SeriesCSV", "file": name, **data, "window": window}
    return Guess(own, _left_out(table), tuple(_season_note(table, season, step)))


def _table(data: Data) -> dict[str, Any]:
    return {key: value for key, value in data.items() if key in SPELLED}


def _target(path: Path, name: str, read: Cells, source: CustomSource, data: Data) -> str:
    """The target that the table would have if it is a number; "" for the last column of numbers."""
    chosen = guess_table(path, name, "", _table(data)).data.get("target_column", read.names[-1])
    plain = replace(source, categories=())
    number = read_column(read, chosen, plain).kind == "number"
    return chosen if number and chosen != data.get("date_column") else ""


def suggested_window(table: SeriesTable) -> tuple[int, int]:
    """Rows of a window: two seasons of what the training rows have, else a usual number; and the
    season, 0 without one. Neither is more than a fifth of the rows."""
    order = np.argsort(table.times, kind="stable")
    known = table.answers()[order]
    if not len(known) or np.isnan(known).all():
        return WINDOW, 0
    learned = known_before(known)[: int(LEARNED * len(known))]
    season = season_of(learned)
    wanted = SEASONS * season if 0 < SEASONS * season <= LONGEST else WINDOW
    return max(1, min(wanted, len(known) // 5)), season


def _season_note(table: SeriesTable, season: int, step: float) -> list[str]:
    if not season:
        return []
    words = time_words(season * step) if step else f"{season:,} rows"
    return [f"{table.target.name} repeats itself about every {words}."]


def _left_out(table: SeriesTable) -> tuple[str, ...]:
    """Columns of the file that a window does not hold, each with its reason."""
    used = {column.name for column in table.columns} | {table.target.name}
    date = table.date.name if table.date else ""
    return tuple(f"{name} holds no numbers" for name in table.names if name not in {*used, date})
