"""What a project decides about how its table is read, checked; what it leaves open is judged."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from core.common.errors import DataError
from core.samples.number_spelling import DECIMALS, THOUSANDS

KEYS = (
    "encoding",
    "separator",
    "decimal",
    "thousands",
    "header",
    "first",
    "footer",
    "missing",
    "fill",
    "dates",
    "copies",
)
SEPARATORS = (",", ";", "\t", "|", " ")
FILLS = ("mean", "median", "most_frequent", "missing", "drop")
"""What becomes of missing values: filled by what training samples have, or by a category of its
own; or their rows are left out."""
FILLED = ("mean", "median", "most_frequent")
"""What is worked out of the training samples, so that missing values stay NaN until then."""
OTHER = "missing"
"""The category of missing values."""
PARTS = ("days", "year", "month", "day", "weekday", "hour")
"""Numbers that a date may become: days since 1970 with their fraction, and parts of the date."""
MOST_ROWS = 1000


@dataclass(frozen=True)
class DateColumn:
    """A column of dates: how they are written, and the numbers that are made of them."""

    name: str
    format: str
    parts: tuple[str, ...]


@dataclass(frozen=True)
class TableSettings:
    """How a table is read; None and "" leave it to the file.

    header: row of the names, 0 for none. first: row where the values begin. footer: rows at the
    end that are no values. missing: what stands for a missing value, beside an empty cell.
    fill: column and what becomes of its missing values. fill, dates: by name, so that tables that
    are read alike are the same to the cache. copies: "drop" leaves out rows that repeat an earlier
    one.
    """

    encoding: str = ""
    separator: str = ""
    decimal: str = ""
    thousands: str | None = None
    header: int | None = None
    first: int | None = None
    footer: int | None = None
    missing: tuple[str, ...] | None = None
    fill: tuple[tuple[str, str], ...] = ()
    dates: tuple[DateColumn, ...] = ()
    copies: str = ""

    def fill_of(self, column: str) -> str:
        """What becomes of the missing values of a column, "" where nothing was decided."""
        return dict(self.fill).get(column, "")

    def date_of(self, column: str) -> DateColumn | None:
        """How the dates of a column are read; None where it holds none."""
        return next((date for date in self.dates if date.name == column), None)


def read_table_settings(data: Mapping[str, Any]) -> TableSettings:
    """Check the settings of a table. Raises DataError naming the setting."""
    thousands = _one_of(data, "thousands", THOUSANDS, None)
    decimal = _one_of(data, "decimal", DECIMALS, "") or ""
    if decimal and thousands == decimal:
        raise DataError(f"data.decimal and data.thousands are both {decimal!r}.", "Change one.")
    return TableSettings(
        _encoding(data),
        _one_of(data, "separator", SEPARATORS, "") or "",
        decimal,
        thousands,
        _row(data, "header", 0),
        _row(data, "first", 1),
        _row(data, "footer", 0),
        _missing(data),
        _fill(data),
        _dates(data),
        _one_of(data, "copies", ("drop",), "") or "",
    )


def _one_of(data: Mapping[str, Any], key: str, values: tuple[str, ...], usual: Any) -> str | None:
    value = data.get(key, usual)
    if value == usual or value in values:
        return value
    raise DataError(f"data.{key} is {value!r}.", f"Use one of {', '.join(map(repr, values))}.")


def _encoding(data: Mapping[str, Any]) -> str:
    name = data.get("encoding", "")
    try:
        return name if name == "" else b"".decode(name) + name
    except (LookupError, TypeError, ValueError):
        hint = "Use a name such as utf-8 or cp1252."
        raise DataError(f"data.encoding is {name!r}.", hint) from None


def _row(data: Mapping[str, Any], key: str, low: int) -> int | None:
    value = data.get(key)
    if value is None or (type(value) is int and low <= value <= MOST_ROWS):
        return value
    raise DataError(f"data.{key} is {value!r}.", f"Use a whole number from {low} to {MOST_ROWS}.")


def _missing(data: Mapping[str, Any]) -> tuple[str, ...] | None:
    value = data.get("missing")
    if value is None:
        return None
    if isinstance(value, list | tuple) and all(isinstance(word, str) for word in value):
        return tuple(value)
    raise DataError(f"data.missing is {value!r}.", 'Write it as a list of words, such as ["NA"].')


def _fill(data: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    value = data.get("fill", {})
    if not isinstance(value, Mapping) or not all(v in FILLS for v in value.values()):
        raise DataError(
            f"data.fill is {value!r}.",
            f'Write it as {{"COLUMN": "mean"}}, with one of {", ".join(FILLS)}.',
        )
    return tuple(sorted(value.items()))


def _dates(data: Mapping[str, Any]) -> tuple[DateColumn, ...]:
    value = data.get("dates", {})
    hint = (
        'Write it as {"COLUMN": {"format": "%Y-%m-%d", "parts": ["days", "month"]}}, with '
        f"parts of {', '.join(PARTS)}."
    )
    if not isinstance(value, Mapping):
        raise DataError(f"data.dates is {value!r}.", hint)
    dates: list[DateColumn] = []
    for name, how in sorted(value.items()):
        form = how.get("format") if isinstance(how, Mapping) else None
        parts = how.get("parts", ("days",)) if isinstance(how, Mapping) else ()
        good = isinstance(parts, list | tuple) and parts
        if (
            not isinstance(form, str)
            or "%" not in form
            or not good
            or len(set(parts)) < len(parts)
            or not all(part in PARTS for part in parts)
        ):
            raise DataError(f"data.dates.{name} is {how!r}.", hint)
        dates.append(DateColumn(name, form, tuple(parts)))
    return tuple(dates)


def fill_groups(columns: Sequence[Mapping[str, Any]]) -> list[tuple[int, int, str]]:
    """First value, number of values and rule of each column whose missing ones are filled.

    columns: as a layout keeps them.
    """
    found: list[tuple[int, int, str]] = []
    start = 0
    for column in columns:
        size = len(column["words"]) or len(column["parts"]) or 1
        if column["missing"] and column["fill"] in FILLED:
            found.append((start, size, column["fill"]))
        start += size
    return found
