"""What a window of a series must not hold: the target of later rows, or rows out of their order."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from core.common.errors import DataError
from core.data.sources.custom_source import CustomSource
from core.data.table.columns import ColumnRead, missing_mask, read_column, values_of
from core.data.table.series import SeriesTable
from core.wings.findings.finding import DataFinding, Mend, shown, without_columns
from core.wings.findings.table_view import LEAST_ROWS, Floats

LATER = 0.99
"""The least R² of a column with the target of a later row, and the least part of what the target
itself leaves open there: a forecast that somebody bought leaves more."""
MOST_AHEAD = 30
SORTED = 0.95
"""The share of rows that do not go back in time."""


def find_future(
    data: Mapping[str, Any], table: SeriesTable, given: CustomSource
) -> list[DataFinding]:
    """Columns that hold what is to be predicted, by the first row ahead that they tell."""
    order = np.argsort(table.times, kind="stable")
    answers, values = table.answers()[order], table.values()[order]
    ahead = given.series.ahead if given.series else 1
    found: list[DataFinding] = []
    for place, column in enumerate(table.columns):
        if column.name == table.target.name:
            continue
        for rows in range(1, min(ahead, MOST_AHEAD) + 1):
            told = _told(values[:-rows, place], answers[rows:])
            own = _told(answers[:-rows], answers[rows:])
            if told >= LATER and 1 - told <= (1 - LATER) * (1 - own):
                found.append(_future(data, table, column, rows, (told, own)))
                break
    return found


def _told(values: Floats, answers: Floats) -> float:
    """R² of a line through two columns; 0 where they are short or never change."""
    known = np.isfinite(values) & np.isfinite(answers)
    x, y = values[known], answers[known]
    if len(x) < LEAST_ROWS or np.ptp(x) == 0 or np.ptp(y) == 0:
        return 0.0
    return float(np.corrcoef(x, y)[0, 1] ** 2)


def _future(
    data: Mapping[str, Any],
    table: SeriesTable,
    column: ColumnRead,
    rows: int,
    told: tuple[float, float],
) -> DataFinding:
    name, target = shown(column.name), shown(table.target.name)
    later = "1 row later" if rows == 1 else f"{rows} rows later"
    kept = without_columns(data, [column.name], [each.name for each in table.columns])
    return DataFinding(
        "leak",
        f"{name} is {target} {later} in other words (R² {told[0]:.4f}; {target} itself reaches "
        f"{told[1]:.2f}): a window holds what it is to predict, which nobody has in time.",
        (column.name,),
        score=told[0],
        baseline=max(told[1], 0.0),
        mend=Mend(f"Leave out {name}", kept) if kept else None,
        doubts="high",
        verdict=f"{name} holds {target} of later rows",
    )


def find_disorder(data: Mapping[str, Any], table: SeriesTable) -> list[DataFinding]:
    """Rows that are read as they stand although a column of dates goes back and forth."""
    if table.date is not None or table.read.count < LEAST_ROWS:
        return []
    plain = CustomSource("CSV", table.read.name)
    for name in table.names:
        column = read_column(table.read, name, plain)
        if not column.date or missing_mask(table.read, column).any():
            continue
        try:
            days = values_of(table.read, _in_days(column))[:, 0]
        except DataError:  # one cell is no such date: named where it is read as one
            continue
        back = int((np.diff(days) < 0).sum())
        if back > (1 - SORTED) * len(days) and len(np.unique(days)) == len(days):
            return [_disorder(data, name, back, len(days) - 1)]
    return []


def _in_days(column: ColumnRead) -> ColumnRead:
    return ColumnRead(column.name, column.place, date=column.date, parts=("days",))


def _disorder(data: Mapping[str, Any], name: str, back: int, steps: int) -> DataFinding:
    said = shown(name)
    return DataFinding(
        "time",
        f"The rows are read as they stand, but {said} goes back in time in {back:,} of {steps:,} "
        "steps: a window joins rows of different times, and validation lies between training.",
        (name,),
        count=back,
        score=back / steps,
        mend=Mend(f"Order the rows by {said}", {**data, "date_column": name}),
        doubts="high",
        verdict=f"the rows are not in the order of {said}",
    )
