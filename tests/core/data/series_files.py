"""Series of one's own for tests: a table with a row for each day."""

import datetime
import math
from pathlib import Path
from typing import Any

FIRST = datetime.date(2022, 1, 3)  # a Monday


def rides(days: int = 120) -> list[tuple[datetime.date, float, int]]:
    """Day, temperature and rentals, which are more on the five days of work."""
    found: list[tuple[datetime.date, float, int]] = []
    for i in range(days):
        warm = round(10 + 8 * math.sin(i / 20) + i * 7 % 5 / 4, 1)
        found.append(
            (FIRST + datetime.timedelta(i), warm, round(40 + 3 * warm + 30 * (i % 7 < 5)) + i % 3)
        )
    return found


def plain_rides(days: int = 120) -> str:
    """Without anything that needs a rule."""
    rows = [f"{day},{warm},{count}" for day, warm, count in rides(days)]
    return "\n".join(["date,temperature,rentals", *rows]) + "\n"


def worn_rides(days: int = 120) -> str:
    """As a German spreadsheet keeps them: the latest first, decimal commas, values and days that
    are missing, a day that is corrected below, a row without a date."""
    rows = [
        f"{day:%d.%m.%Y};{'' if i % 11 == 4 else str(warm).replace('.', ',')};"
        f"{'NA' if i % 13 == 6 else count};{'dry' if i % 4 else 'wet'}"
        for i, (day, warm, count) in enumerate(rides(days))
        if i not in (50, 51, 80)
    ]
    rows[0] = f"{FIRST:%d.%m.%Y};;60;dry"
    again = f"{FIRST + datetime.timedelta(30):%d.%m.%Y};12,5;99;wet"
    return "\n".join(["date;temperature;rentals;weather", *rows[::-1], again, ";1,0;5;dry"]) + "\n"


WORN = {
    "source": "SeriesCSV",
    "file": "data/worn.csv",
    "date_column": "date",
    "target_column": "rentals",
    "window": 7,
}


def write_rides(workspace: Path) -> None:
    """Both files in the folder `data`."""
    folder = workspace / "data"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "rides.csv").write_text(plain_rides(), "utf-8")
    (folder / "worn.csv").write_text(worn_rides(), "cp1252")


def window_net(rows: int, columns: int, ahead: int) -> dict[str, Any]:
    """A graph with one hidden layer for a window."""
    return {
        "nodes": {
            "window": {"block": "Input", "settings": {"shape": [rows, columns]}},
            "flat": {"block": "flatten", "settings": {"start_dim": 1}},
            "fc1": {"block": "Linear", "settings": {"out_features": 8}},
            "relu1": {"block": "ReLU"},
            "fc2": {"block": "Linear", "settings": {"out_features": ahead}},
            "ahead": {"block": "Output"},
        },
        "edges": [
            "window -> flat",
            "flat -> fc1",
            "fc1 -> relu1",
            "relu1 -> fc2",
            "fc2 -> ahead",
        ],
    }
