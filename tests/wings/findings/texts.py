"""Sound texts and series that a formula makes."""

from collections.abc import Iterator
from datetime import date, timedelta
from typing import Any

import numpy as np

from tests.wings.findings.planted import Rows, put

WORDS = [f"word{number}" for number in range(300)]
TOPICS = ("cooking", "music", "sport")


def texts(rng: Any, count: int = 150, classes: int = 2) -> Rows:
    """Sound texts: words of all classes, and now and then one of the class."""
    labels = [TOPICS[number % classes] for number in range(count)]
    return {"text": [_text(rng, label) for label in labels], "label": labels}


def _text(rng: Any, label: str) -> str:
    own = [f"{label}{number}" for number in range(40)]
    length = int(rng.integers(8, 30))
    return " ".join(rng.choice(own if rng.uniform() < 0.2 else WORDS) for _ in range(length))


def series(rng: Any, count: int = 300, working_days: bool = False) -> Rows:
    """A sound series: the level of a lake, and the temperature, of each day."""
    days = [date(2020, 1, 1) + timedelta(days=number) for number in range(2 * count)]
    days = [day for day in days if day.weekday() < 5 or not working_days][:count]
    return {
        "day": [str(day) for day in days],
        "temperature": rng.normal(12, 4, count).round(1).tolist(),
        "level": (50 + rng.normal(0, 1, count).cumsum()).round(2).tolist(),
    }


def _as_it_is(_rng: Any, table: Rows) -> Rows:
    return table


def _with_yesterday(_rng: Any, table: Rows) -> Rows:
    """A column that everybody has in time: the level of the day before."""
    return put(table, "yesterday", [table["level"][0], *table["level"][:-1]])


def _with_forecast(rng: Any, table: Rows) -> Rows:
    """A forecast of somebody else, of which a third of the change of a day is wrong."""
    later = np.array([*table["level"][1:], table["level"][-1]])
    return put(table, "forecast", (later + rng.normal(0, 0.3, len(later))).round(2))


KNOWN = (_as_it_is, _with_yesterday, _with_forecast)
"""What a sound series may know besides."""


def sound_texts_and_series() -> Iterator[tuple[str, Rows]]:
    """Fifty of each, of differing sizes."""
    rng = np.random.default_rng(9)
    for number in range(50):
        count, classes = 60 + 20 * (number % 8), 2 + number % 2
        yield f"texts {number}", texts(rng, count, classes)
        yield f"series {number}", KNOWN[number % len(KNOWN)](rng, series(rng, 2 * count))
