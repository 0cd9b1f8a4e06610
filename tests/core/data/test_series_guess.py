"""Which tables are series unasked, and from how many rows they are predicted."""

import datetime
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from app.services.data_guess import guess_and_read, read_as
from app.services.table_preview import preview_table
from core.data.facts.metadata import read_own
from core.data.table.series import are_working_days
from tests.core.data.series_files import FIRST, plain_rides, rides, worn_rides


def guessed(workspace: Path, text: str, kind: str = "CSV") -> tuple[dict[str, Any], str]:
    """The settings of a dropped file, and what is said of it."""
    file = workspace / "data/dropped.csv"
    file.parent.mkdir(exist_ok=True)
    file.write_text(text, "utf-8")
    data, notes, error = guess_and_read({"source": kind, "file": "data/dropped.csv"})
    assert error == ""
    return data, " ".join(notes)


def test_a_table_with_a_row_for_each_day_is_a_series(workspace: Path) -> None:
    data, notes = guessed(workspace, plain_rides())
    assert data == {
        "source": "SeriesCSV",
        "file": "data/dropped.csv",
        "date_column": "date",
        "window": 14,
    }
    assert notes == (
        "A series: rentals is predicted from the 14 rows before it, in 106 windows of 14 rows. "
        "rentals repeats itself about every 7 days."
    )


def test_months_are_even_though_not_equally_long(workspace: Path) -> None:
    rows = [f"{2010 + i // 12}-{1 + i % 12:02d},{i % 12}.5" for i in range(120)]
    data, notes = guessed(workspace, "\n".join(["month,sales", *rows]))
    assert (data["source"], data["window"]) == ("SeriesCSV", 24)
    assert notes.endswith("sales repeats itself about every 372 days.")


def prices(days: int = 400) -> str:
    """Of working days without every 40th, as of an exchange: the last day first."""
    dates = [FIRST + datetime.timedelta(i) for i in range(days)]
    open_days = [day for i, day in enumerate(dates) if day.weekday() < 5 and i % 40 != 7]
    rows = [f"{day},{90 + 5 * (i % 5)}.{i * 7 % 10}" for i, day in enumerate(open_days)]
    return "\n".join(["Date,Close", *rows[::-1]])


def test_working_days_are_even_though_weekends_are_left_out(workspace: Path) -> None:
    data, notes = guessed(workspace, prices())
    assert (data["source"], data["date_column"]) == ("SeriesCSV", "Date")
    assert "Close repeats itself about every 5 rows." in notes
    facts = read_own(data)
    assert facts is not None
    assert facts.layout["notes"] == [
        "7 gaps in the dates, the longest 2 working days instead of 1: "
        "a window counts rows, not days."
    ]


@pytest.mark.parametrize(
    ("first", "step", "count", "working"),
    [(4, 1, 5, False), (4, 7, 40, False), (2, 1, 12, False), (4.5, 1, 3, False)],
)
def test_other_dates_are_no_working_days(
    first: float, step: int, count: int, working: bool
) -> None:
    """1970-01-05, day 4, is a Monday: one week, Mondays alone, weekends among them, half days."""
    assert are_working_days(np.arange(count) * step + first) is working


customers = "\n".join(
    ["name,joined,age,spent"]
    + [f"N{i},2020-{1 + i * 7 % 12:02d}-{1 + i * 5 % 28:02d},{20 + i % 50},{i * 3 % 97}.5"
       for i in range(80)]
)  # fmt: skip
TABLES = {
    "customers who joined at any time": customers,
    "two rows a day": "day,shop,sold\n" + "".join(
        f"{day},{shop},{count}\n" for day, _, count in rides(60) for shop in (1, 2)),
    "classes": "day,warm,weather\n" + "".join(
        f"{day},{warm},{('dry', 'wet')[i % 3 == 0]}\n" for i, (day, warm, _) in enumerate(rides())),
    "few rows": plain_rides(20),
}  # fmt: skip


@pytest.mark.parametrize("name", TABLES)
def test_any_other_table_stays_a_table(name: str, workspace: Path) -> None:
    data, _ = guessed(workspace, TABLES[name])
    assert data["source"] == "CSV"


near = [f"{i * 37 % 101},{math.sin(i / 9) + i % 3 / 9:.3f}\n" for i in range(90)]
IN_TIME = {
    "a date in each row": (customers, True),
    "steps of one number": ("".join(f"{1900 + i},{i * 37 % 101}\n" for i in range(90)), True),
    "values near the last": ("".join(near), True),
    "a season": ("".join(f"{i * 37 % 101},{(0, 9, 1, 8, 2)[i % 5]}\n" for i in range(90)), True),
    "rows in any order": ("".join(f"{i * 37 % 101},{i * i * 53 % 97}\n" for i in range(90)), False),
    "a class": ("".join(f"{i * 37 % 101},{'ab'[i > 45]}\n" for i in range(90)), False),
    "few rows": ("".join(f"{1900 + i},{i * 37 % 101}\n" for i in range(20)), False),
}  # fmt: skip


@pytest.mark.parametrize("name", IN_TIME)
def test_a_row_may_be_a_step_in_time_where_something_says_so(name: str, workspace: Path) -> None:
    text, possible = IN_TIME[name]
    file = workspace / "data/rows.csv"
    file.parent.mkdir(exist_ok=True)
    file.write_text(text if text is customers else f"a,b\n{text}", "utf-8")
    shown = preview_table({"source": "CSV", "file": "data/rows.csv"})
    assert (shown.in_time, shown.error) == (possible, "")


def test_a_table_is_read_as_a_series_once_it_is_asked_for_and_back(workspace: Path) -> None:
    data, _ = guessed(workspace, worn_rides(), "CSV")
    assert data["source"] == "CSV"  # a day twice
    series = read_as({**data, "validation": 0.3}, "SeriesCSV")
    wanted = {"source": "SeriesCSV", "date_column": "date", "window": 14, "validation": 0.3}
    assert {**series, **wanted} == series
    assert read_own(series)
    table = read_as(series, "CSV")
    assert table["source"] == "CSV"
    assert "window" not in table
