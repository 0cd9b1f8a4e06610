"""Dates and times of a column: how they are written, and the numbers that are made of them."""

import datetime
import re
from collections.abc import Collection

from core.common.errors import DataError
from core.data.table.month_names import formats_in_words
from core.samples.date_parts import date_parts, date_text

_DAYS = (
    "%Y-%m-%d",
    "%d.%m.%Y",
    "%d.%m.%y",
    "%m/%d/%Y",
    "%d/%m/%Y",
    "%Y/%m/%d",
    "%m/%d/%y",
    "%d/%m/%y",
    "%d-%m-%Y",
    "%m-%d-%Y",
    "%Y.%m.%d",
    "%Y年%m月%d日",
    "%Y년 %m월 %d일",
    "%d %b %Y",
    "%d %B %Y",
    "%b %d, %Y",
    "%B %d, %Y",
    "%d-%b-%Y",
    "%d-%b-%y",
    "%a, %d %b %Y",
    "%b %d %Y",
    "%Y-%m",
    "%b %Y",
    "%B %Y",
    "%Y年%m月",
    "%Y%m%d",
)
_TIMES = ("%H:%M:%S", "%H:%M", "%H:%M:%S.%f", "%I:%M %p", "%I:%M:%S %p")
_ENDS = ("", "%z")
FORMATS = (
    *_DAYS,
    *(
        f"{d}{gap}{t}{end}"
        for d in _DAYS
        if d not in ("%Y-%m", "%b %Y", "%B %Y", "%Y年%m月")
        for gap in (" ", "T", ", ")
        for t in _TIMES
        for end in _ENDS
    ),
    *_TIMES[:3],
)
MOST_DIFFERING = 200  # cells that are looked at
_LIKELY = re.compile(r"(?=.*\d)[\w .,:/+-]{4,40}")
_DIGITS = re.compile(r"(19|20)\d\d(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])")


def formats_of(cells: Collection[str]) -> tuple[str, ...]:
    """The formats that every cell fits, the likeliest first; () where they are not dates."""
    if not cells or not all(map(_LIKELY.fullmatch, cells)):
        return ()
    digits = all(cell.isdigit() for cell in cells)
    if digits and not all(map(_DIGITS.fullmatch, cells)):
        return ()
    first, *_ = cells
    found = tuple(f for f in FORMATS if (f == "%Y%m%d") == digits and _looks(first, f))
    return _fitting(found, cells) or _fitting(tuple(formats_in_words(first)), cells)


def _fitting(found: tuple[str, ...], cells: Collection[str]) -> tuple[str, ...]:
    """Those of the formats that every cell fits."""
    for cell in cells:
        found = tuple(f for f in found if _fits(cell, f))
        if not found:
            break
    return found


def differing(cells: Collection[str]) -> tuple[str, str] | None:
    """Two of the cells that are dates, but written in different ways; None where all are alike, or
    where one is not a date."""
    looked = list(cells)[:MOST_DIFFERING]
    if len(looked) < 2 or not all(map(_LIKELY.fullmatch, looked)):
        return None
    each = {cell: frozenset(formats_of([cell])) for cell in looked}
    first, *others = looked
    if not all(each.values()):
        return None
    return next(((first, other) for other in others if not each[first] & each[other]), None)


def _looks(cell: str, form: str) -> bool:
    """Whether a cell has the signs and letters of a format: strptime is slow to say no."""
    words = re.sub(r"(?<=\d)[TZ]|[+-]\d\d:?\d\d$", "", cell)
    form = form.replace("%z", "").replace("T", "")
    plain = re.sub("%.", "", form)
    lettered = any(s in form for s in ("%b", "%B", "%a", "%p")) or any(map(str.isalpha, plain))
    same = all(words.count(sign) == form.count(sign) for sign in ".:/,")
    return same and lettered == any(map(str.isalpha, words))


def _fits(cell: str, form: str) -> bool:
    try:
        date_parts(cell, form, ())
    except ValueError:
        return False
    return True


def usual_parts(cells: Collection[str], form: str) -> tuple[str, ...]:
    """The parts that differ among these dates, of those that mean something by themselves."""
    if not any(sign in form for sign in ("%Y", "%y")):
        return ("hour",)
    wanted = ("days", "month", "weekday", "hour")
    rows = [date_parts(cell, form, wanted) for cell in cells]
    return tuple(p for i, p in enumerate(wanted) if len({row[i] for row in rows}) > 1) or ("days",)


def numbers_of(cell: str, form: str, parts: Collection[str], where: str) -> list[float]:
    """The parts of one date. Raises DataError that names its place."""
    try:
        return date_parts(cell, form, tuple(parts))
    except ValueError:
        message = f"{where}, is {cell!r}, which is not a date written as {example(form)}."
        hint = "Correct the cell, or read the column as another type."
        raise DataError(message, hint) from None


def example(form: str) -> str:
    """The last day of 1999, a minute to midnight, in a format."""
    return date_text(datetime.datetime(1999, 12, 31, 23, 59, tzinfo=datetime.UTC), form)
