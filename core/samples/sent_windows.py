"""The last rows of a series in the words of its file, as the window that a network reads.

Needs numpy. Rows may come in any order where they have their dates; a missing value is the last
known one, as in training.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from core.samples.date_parts import date_parts
from core.samples.request_error import RequestError
from core.samples.sent_rows import cell_value, file_orders, rows_of, set_field

MOST_ROWS = 100_000
"""Rows of a body, of which the last are used: a file of ten years of hours may be sent whole."""
Json = Mapping[str, Any]
Row = Mapping[str, Any]


def rows_of_window(spec: Json, media: str, body: bytes) -> list[dict[str, Any]]:
    """The rows of a CSV body, by column. Raises RequestError."""
    dated = {**spec, "fields": _dated_fields(spec)}
    try:
        return rows_of(dated, media, body, MOST_ROWS)
    except RequestError:
        if len(dated["fields"]) == len(spec["fields"]):
            raise
        return rows_of(spec, media, body, MOST_ROWS)  # without its dates rows are in order


def read_window(spec: Json, value: Any) -> np.ndarray:
    """The last rows, (window, columns) float32, of rows as objects or lists. Raises RequestError.

    value: rows of the file; or numbers (window, columns), as raw bytes are.
    """
    name, (length, columns) = spec["name"], spec["read"]
    if isinstance(value, np.ndarray):
        return _finite(name, value)
    if not isinstance(value, list) or not all(isinstance(row, Mapping | list) for row in value):
        raise RequestError(
            422,
            f"{name} needs a list of {length} rows.",
            f"Each row has the columns {', '.join(field['name'] for field in spec['fields'])}.",
            name,
        )
    rows = _in_order(spec, [_named(spec, row, i) for i, row in enumerate(value, 1)])
    numbers = _carried(np.array([_numbers(spec, row) for row in rows]).reshape(-1, columns))
    if len(numbers) < length:
        most = (
            "" if len(numbers) == len(value) else f" with a value in each column, of {len(value)}"
        )
        raise RequestError(
            422,
            f"{name} needs {length} rows but receives {len(numbers)}{most}.",
            f"Send the last {length} rows before what is predicted.",
            name,
        )
    return _finite(name, numbers[-length:])


def _dated_fields(spec: Json) -> list[Json]:
    """What is read of a row: its columns, and its date where the file has one."""
    order, fields = spec.get("order"), list(spec["fields"])
    known = {field["name"] for field in fields}
    return [*fields, order] if order and order["name"] not in known else fields


def _named(spec: Json, row: Any, number: int) -> Row:
    """A row by its columns: a list has them in the order of the inputs, or of the file."""
    name, fields = spec["name"], [field["name"] for field in spec["fields"]]
    if isinstance(row, list):
        names = next(
            (n for n in (fields, *file_orders(spec.get("table", {}))) if len(n) == len(row)), None
        )
        if names is None:
            raise RequestError(
                422,
                f"Row {number} of {name} has {len(row)} values but needs {len(fields)}.",
                f"The columns are {', '.join(fields)}.",
                name,
            )
        return dict(zip(names, row, strict=True))
    row = {str(key).removeprefix("\ufeff").strip(): cell for key, cell in row.items()}
    if gone := [each for each in fields if each not in row]:
        raise RequestError(
            422,
            f"Row {number} of {name} has no column {gone[0]!r}.",
            f"The columns are {', '.join(fields)}.",
            name,
        )
    return row


def _in_order(spec: Json, rows: Sequence[Row]) -> list[Row]:
    """Rows by their dates, of several with one date the last; as they stand without any date.

    A row whose date is missing is left out, as in training.
    """
    order = spec.get("order", {})
    gone = (None, "", *order.get("missing", ()))
    dated = [row for row in rows if order and row.get(order["name"]) not in gone]
    if not dated:
        return list(rows)
    last = {_time(spec["name"], order, row[order["name"]]): row for row in dated}
    return [last[time] for time in sorted(last)]


def _time(name: str, order: Json, value: Any) -> float:
    field = {**order, "places": [0]}
    found = np.zeros(1, np.float64)
    if not order.get("date"):
        set_field(found, name, field, value)
        return float(found[0])
    try:
        return date_parts(str(value).strip(), order["date"], ("days",))[0]
    except (ValueError, OverflowError):
        set_field(found, name, {**field, "parts": ["days"]}, str(value))  # says how it is written
        raise


def _numbers(spec: Json, row: Row) -> list[float]:
    """The numbers of a row; NaN for a missing value."""
    found = np.full(len(spec["fields"]), np.nan, np.float32)
    for place, field in enumerate(spec["fields"]):
        value = row[field["name"]]
        if isinstance(value, str):
            missing = value.strip() in ("", *field.get("missing", ()))
            value = None if missing else cell_value(field, value)
        if value is not None:
            set_field(found, spec["name"], {**field, "places": [place]}, value)
    return found.tolist()


def _carried(values: np.ndarray) -> np.ndarray:
    """Rows whose missing values are the last known, without those before each column has one."""
    for row in range(1, len(values)):
        values[row] = np.where(np.isnan(values[row]), values[row - 1], values[row])
    return values[~np.isnan(values).any(1)].astype(np.float32)


def _finite(name: str, values: np.ndarray) -> np.ndarray:
    found = values.astype(np.float32)
    if not np.isfinite(found).all():
        raise RequestError(
            422, f"{name} holds a number that does not fit into float32.", place=name
        )
    return found
