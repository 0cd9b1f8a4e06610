"""Settings of a series of one's own: a table whose rows are in time, forecast window by window.

{"source": "SeriesCSV", "file": "data/bikes.csv", "date_column": "date", "target_column": "rentals",
 "columns": ["rentals", "temperature"], "window": 14, "ahead": 1}

date_column: orders the rows; without it they are in time as they stand. target_column: what is
predicted, the last column of numbers where it is left out. columns: what a window holds of each
row, all columns of numbers where it is left out. window: rows that the network reads; ahead: rows
after them whose targets it predicts.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from core.common.errors import DataError
from core.data.sources.split_by import IN_TIME
from core.files.messages import quote

KEYS = ("date_column", "window", "ahead")
WINDOW, AHEAD = 24, 1
"""Rows of a window, and of a forecast, where the project names none: a day of hours, and one."""
MOST_WINDOW, MOST_AHEAD = 2000, 500
"""More rows than a network of a course learns from; the sequences of texts end at 512."""


@dataclass(frozen=True)
class SeriesSettings:
    """How windows are cut. date: the column that orders the rows, "" for their order."""

    date: str = ""
    window: int = WINDOW
    ahead: int = AHEAD


def read_series_settings(data: Mapping[str, Any]) -> SeriesSettings | None:
    """Check the settings of a series; None for another source. Raises DataError naming one."""
    if data.get("source") not in IN_TIME:
        return None
    date = data.get("date_column", "")
    if type(date) is int:  # the name of a column such as 2019, as a command line reads it
        date = str(date)
    if not isinstance(date, str):
        raise DataError(f"data.date_column is {quote(date)}.", "Name one column.")
    if date and date == data.get("target_column"):
        raise DataError(
            f"data.target_column is {quote(date)}, which is the date column.",
            "Choose another column.",
        )
    window = _count(data, "window", WINDOW, MOST_WINDOW)
    return SeriesSettings(date, window, _count(data, "ahead", AHEAD, MOST_AHEAD))


def _count(data: Mapping[str, Any], key: str, usual: int, most: int) -> int:
    value = data.get(key, usual)
    if type(value) is int and 1 <= value <= most:
        return value
    raise DataError(f"data.{key} is {quote(value)}.", f"Use a whole number from 1 to {most:,}.")


def time_words(days: float) -> str:
    """A length of time, "2 days", "6 hours"."""
    for name, unit in (("day", 1.0), ("hour", 1 / 24), ("minute", 1 / 1440)):
        if days >= unit * 0.999:
            count = days / unit
            return f"{count:.3g} {name}{'s' * (round(count, 2) != 1)}"
    return f"{days * 86400:.3g} seconds"
