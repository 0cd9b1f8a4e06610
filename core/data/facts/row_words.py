"""A row of a table in the words of its file, out of the numbers that were made of it. No torch."""

import datetime
from collections.abc import Mapping, Sequence

import numpy as np

from core.data.facts.row_fields import InputField
from core.samples.date_parts import date_parts, date_text

EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC)
YEARS = 28  # after these every date falls on the same day of the week again
STEPS = (3600, 1800, 900, 300, 60, 1)
"""Seconds to which a time is rounded: the coarsest that gives its numbers again."""
PLAIN_BELOW = 1e15


def row_words(fields: Sequence[InputField], row: Sequence[float]) -> list[str]:
    """What stands in each field for a row of the data's own numbers."""
    return [_words(field, [row[place] for place in field.places]) for field in fields]


def shortest(
    values: Sequence[float], mean: Sequence[float] = (), std: Sequence[float] = ()
) -> list[float]:
    """The data's own numbers of standardised ones, each with as few digits as give it again."""
    own = np.asarray(values, np.float32)
    middle = np.asarray(mean or 0.0, np.float32)
    unit = np.asarray(std or 1.0, np.float32)
    whole = own.astype(np.float64) * unit + middle
    found = whole.copy()
    for digits in range(9, -1, -1):
        fewer = np.array([float(f"{value:.{digits}g}") * (digits > 0) for value in whole])
        same = (fewer.astype(np.float32) - middle) / unit == own
        found[same] = fewer[same]
    return found.tolist()


def _words(field: InputField, numbers: Sequence[float]) -> str:
    if field.date:
        return _date(field.date, dict(zip(field.parts, numbers, strict=True)))
    if field.words or field.others:
        own = dict(zip(numbers, field.words, strict=True)).get(1.0, "")
        return own or (*field.others, *field.words)[0]
    number = numbers[0]
    text = f"{number:.9g}"
    if abs(number) < PLAIN_BELOW:
        text = np.format_float_positional(number, precision=9, fractional=False, trim="-")
    return text.replace(".", field.decimal or ".")


def _date(form: str, parts: Mapping[str, float]) -> str:
    """A date with these parts, in its format."""
    day = _day(parts)
    seconds = 3600 * parts["hour"] if "hour" in parts else 86400 * (parts.get("days", 0.0) % 1)
    text = ""
    wanted = np.asarray([*parts.values()], np.float32)
    for step in STEPS:
        time = day + datetime.timedelta(seconds=min(round(seconds / step) * step, 86399))
        text = date_text(time, form)
        again = date_parts(text, form, tuple(parts))
        if np.array_equal(np.asarray(again, np.float32), wanted):
            return text
    return text


def _day(parts: Mapping[str, float]) -> datetime.datetime:
    """The day of a date: by its days since 1970, else the first with its other parts."""
    if "days" in parts:
        whole = parts["days"] - parts["hour"] / 24 if "hour" in parts else parts["days"] // 1
        return EPOCH + datetime.timedelta(days=round(whole))
    wanted = {key: round(parts[key]) for key in ("year", "month", "day", "weekday") if key in parts}
    start = EPOCH.replace(year=wanted.get("year", 2000))
    days = (start + datetime.timedelta(days=n) for n in range(366 * YEARS))
    return next((day for day in days if _fits(day, wanted)), start)


def _fits(day: datetime.datetime, wanted: Mapping[str, int]) -> bool:
    own = {"year": day.year, "month": day.month, "day": day.day, "weekday": day.weekday()}
    return all(own[key] == value for key, value in wanted.items())
