"""Rows of a request in the words of the file that trained the network. Needs numpy.

A line of that file can be sent as it stands: with its header or without, its separator, decimal
sign, dates and encoding; the target and columns that are not used are left out.
"""

import codecs
import csv
import datetime
import io
import re
from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Any

import numpy as np

from core.samples.date_parts import date_parts, date_text
from core.samples.number_spelling import PLAIN, NumberSpelling
from core.samples.request_error import RequestError
from core.samples.text_tokens import joined

SEPARATORS = (",", ";", "\t", "|")
MARKS = {
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
"""What a file may begin with, the longer marks first."""
LOOKED_AT = 60  # rows in which a header is looked for
Json = Mapping[str, Any]
Cells = list[list[str]]


def rows_of(spec: Json, media: str, body: bytes, most: int) -> list[dict[str, Any]]:
    """The values of each row of a CSV body, by field. Raises RequestError, also for more than
    `most`: no more of them are read."""
    name, table = spec["name"], spec.get("table", {})
    text = _text(name, media, body, table.get("encoding", ""))
    own = table.get("separator", ",")
    try:
        separators = dict.fromkeys((own, *SEPARATORS))
        read = [_cells(text, each, most + LOOKED_AT + 1) for each in separators]
    except csv.Error as error:
        raise RequestError(422, f"{name} is not valid CSV: {error}.", place=name) from None
    left_out = set(table.get("left_out", ()))
    read = [[row for row in rows if ", ".join(filter(None, row)) not in left_out] for rows in read]
    found = [each for rows in read if (each := _named(spec, rows))]
    found.sort(key=lambda each: not _even(*each))
    header, rows = found[0] if found else _unnamed(spec, read)
    if len(rows) > most:
        message = f"A request may hold {most} samples but {name} has more rows."
        raise RequestError(413, message, f"Send at most {most} at once.", name)
    known = readable(spec)
    return [
        {key: cell_value(known[key], cell) for key, cell in row.items() if key in known}
        for row in (_by_name(name, header, row, i) for i, row in enumerate(rows, 1))
    ]


def rows_of_all(inputs: Sequence[Json], media: str, body: bytes, most: int) -> list[dict[str, Any]]:
    """Samples of a CSV body whose rows hold the columns of all inputs, as `rows_of` bounds them.
    Raises RequestError."""
    fields = {field["name"]: field for spec in inputs for field in spec["fields"]}
    rows = rows_of({**inputs[0], "fields": [*fields.values()]}, media, body, most)
    known = {spec["name"]: readable(spec) for spec in inputs}
    return [
        {name: {key: row[key] for key in row if key in own} for name, own in known.items()}
        for row in rows
    ]


def texts_of(spec: Json, media: str, body: bytes, most: int) -> list[str]:
    """The text of each row of a CSV body, of its columns of text. Raises RequestError."""
    columns = spec["columns"]
    fields = [{"name": column, "text": True} for column in columns]
    rows = rows_of({**spec, "fields": fields}, media, body, most)
    for number, row in enumerate(rows, 1):
        if not any(row.values()):
            message = f"Row {number} of {spec['name']} has no text in {', '.join(columns)}."
            raise RequestError(422, message, "Give it a text, or leave the row out.", spec["name"])
    return [joined([row[column] for column in columns]) for row in rows]


def _text(name: str, media: str, body: bytes, own: str) -> str:
    """The body as text: by its mark, what the request states, as UTF-8, or in the file's own."""
    stated = re.search(r"charset=\"?([\w.:-]+)", media, re.IGNORECASE)
    wide = own.startswith(("utf-16", "utf-32", "utf_16", "utf_32")) and b"\0" in body
    mark = next((MARKS[m] for m in MARKS if body.startswith(m)), "")
    guesses = [mark, own if wide else "", stated[1] if stated else "", "utf-8", own]
    for encoding in filter(None, guesses):
        try:
            return body.decode(encoding)
        except (UnicodeError, LookupError):
            continue
    raise RequestError(422, f"{name} is not UTF-8 text.", "Save it as UTF-8.", name)


def _cells(text: str, separator: str, most: int) -> Cells:
    lines = io.StringIO(text, newline="")
    read = csv.reader(lines, delimiter=separator, skipinitialspace=separator == " ")
    rows = ([cell.strip() for cell in row] for row in read)
    return list(islice((row for row in rows if any(row)), most))


def readable(spec: Json) -> dict[str, Json]:
    """What a header may name: the fields, and each number that is made of one by itself."""
    found: dict[str, Json] = {}
    for field in spec["fields"]:
        found[field["name"]] = field
        found |= {name: {"name": name} for name in part_names(field)}
    return found


def part_names(field: Json) -> list[str]:
    """The names of the numbers that are made of a date, or of a category of which the Input
    receives only some."""
    name, words = field["name"], field.get("words", ()) if field.get("others") else ()
    return [f"{name} ({part})" for part in field.get("parts", ())] + [f"{name}={w}" for w in words]


def file_orders(table: Json) -> list[list[str]]:
    """The columns of a line of the file: all of them, or without its targets."""
    every = list(table.get("columns", ()))
    targets = table.get("targets", ())
    return [every, [column for column in every if column not in targets]] if every else []


def _named(spec: Json, rows: Cells) -> tuple[list[str], Cells] | None:
    """The header and the rows below it; None without a row that names every field."""
    for place, row in enumerate(rows[:LOOKED_AT]):
        names = _names(row if len(rows) == place + 1 else _full(row, rows[place + 1 :]))
        if spec.get("columns") and names != spec.get("table", {}).get("columns"):
            names = _names(row)  # a sign inside of a text may part it, too
        for header in (names, _as_spelled(spec, names)):
            if all(f["name"] in header or _has_parts(f, header) for f in spec["fields"]):
                return header, rows[place + 1 :]
    return None


def _as_spelled(spec: Json, names: list[str]) -> list[str]:
    """A header as the file spells it, where only capitals differ and no two names become one."""
    known = {name.casefold(): name for name in readable(spec)}
    found = [known.get(name.casefold(), name) for name in names]
    return found if len({*found}) == len(names) else names


def _names(row: list[str]) -> list[str]:
    """The cells of a header, where one is empty by its place."""
    return [cell or f"column_{i}" for i, cell in enumerate(row, 1)]


def _full(row: list[str], below: Cells) -> list[str]:
    """A header with the name that R leaves out of it, or that a last separator makes."""
    if len(row) != len(below[0]) - 1:
        return row
    return [*row, ""] if not any(other[-1] for other in below) else ["", *row]


def _has_parts(field: Json, names: Sequence[str]) -> bool:
    parts = part_names(field)
    return bool(parts) and all(part in names for part in parts)


def _unnamed(spec: Json, read: Sequence[Cells]) -> tuple[list[str], Cells]:
    """Rows without a header go by the order of the file's columns, or of the fields.

    Texts need a header: a name of a column is a text as any other.
    """
    name, table = spec["name"], spec.get("table", {})
    fields = [f["name"] for f in spec["fields"]]
    orders = [] if spec.get("columns") else [*file_orders(table), fields]
    found = [
        (names, rows)
        for rows in read
        for names in orders
        if rows and len(rows[0]) == len(names) and not set(rows[0]) & set(fields)
    ]
    if found:  # a comma inside of words may give as many cells as the file's own sign
        return max(found, key=lambda each: _fitting(spec, *each))
    most = max(read, key=lambda rows: len(set(rows[0]) & set(fields)) if rows else -1)
    if not most:
        raise RequestError(422, "There are no samples.", "Send at least one.")
    gone = [f for f in fields if f not in most[0]]
    raise RequestError(
        422,
        f"{name} has no column {gone[0] if gone else fields[0]!r}.",
        f"The first line needs to name {', '.join(fields)}."
        if spec.get("columns")
        else f"The columns are {', '.join(fields)}.",
        name,
    )


def _even(header: Sequence[str], rows: Cells) -> bool:
    """Whether all rows are as long as their header: a sign inside of words parts only some."""
    return all(len(row) == len(header) for row in rows)


def _fitting(spec: Json, names: Sequence[str], rows: Cells) -> tuple[bool, bool]:
    """Whether the first row reads as the fields, and whether all rows are as long."""
    first = dict(zip(names, rows[0], strict=True))
    reads = all(_reads(field, first[field["name"]]) for field in spec["fields"])
    return reads, _even(names, rows)


def _reads(field: Json, cell: str) -> bool:
    value, words = cell_value(field, cell), words_of(field)
    if value is None or field.get("date"):
        return True
    return value in words if words else isinstance(value, float)


def _by_name(name: str, header: Sequence[str], row: list[str], number: int) -> dict[str, str]:
    if len(row) == len(header) + 1 and not row[-1]:
        row = row[:-1]
    if len(row) != len(header):
        raise RequestError(
            422,
            f"Row {number} of {name} has {len(row)} cells but needs {len(header)}.",
            f"The columns are {', '.join(header)}.",
            name,
        )
    return dict(zip(header, row, strict=True))


def cell_value(field: Json, cell: str) -> Any:
    """A cell of a file: None for a missing value that is filled; a word, a date or a text as it is
    written; or a number where it reads as one."""
    cell, words = cell.strip(), words_of(field)
    if field.get("fill") and cell not in words and cell in ("", *field.get("missing", ())):
        return None
    if words or field.get("date") or field.get("text"):
        return cell
    keys = ("decimal", "thousands", "symbol", "minus")
    spelling = NumberSpelling(**{key: field[key] for key in keys if field.get(key)})
    number = spelling.number(cell)
    if number is not None:
        return number
    try:
        return cell if "_" in cell else float(cell)  # underscores are Python's own
    except ValueError:
        return cell


def words_of(field: Json) -> list[str]:
    """The categories of a field, those of which the Input receives nothing last."""
    return [*field.get("words", ()), *field.get("others", ())]


def set_field(row: np.ndarray, name: str, field: Json, value: Any) -> None:
    """Write one column into a row: a number, the numbers of a date, or a 1 for its word; None for
    a missing value, which is filled as in training. Raises RequestError."""
    words, places = list(field.get("words", ())), list(field["places"])
    value = cell_value(field, value) if isinstance(value, str) else value
    if value is None:
        row[places] = _fill(name, field)
    elif words:
        if (word := _word(name, field, value)) in words:
            row[places[words.index(word)]] = 1
    elif field.get("date"):
        row[places] = _date(name, field, value)
    else:
        row[places[0]] = _number(name, field, value)


def _word(name: str, field: Json, value: Any) -> str:
    """A category as the file writes it; JSON may have it as a number, or as true or false."""
    known = words_of(field)
    if value in known:
        return value
    alike: list[str] = []
    if isinstance(value, bool):
        alike = [word for word in known if word.lower() == str(value).lower()]
    elif isinstance(value, int | float):
        alike = [word for word in known if PLAIN.number(word) == value]
    if len(alike) == 1:
        return alike[0]
    raise RequestError(
        422,
        f"{name} has {field['name']} {value!r}, which is not in the training data.",
        f"It is one of {', '.join(known)}.",
        name,
    )


def _fill(name: str, field: Json) -> Sequence[float]:
    if not field.get("fill"):
        what = "word" if field.get("words") else "date" if field.get("date") else "number"
        message = (
            f"{name} has no value for {field['name']}, and no training sample has a missing "
            "value there."
        )
        raise RequestError(422, message, f"Give a {what}.", name)
    return field["fill"]


def _date(name: str, field: Json, value: Any) -> list[float]:
    form = field["date"]
    text = str(value) if type(value) is int else value  # 20231019
    try:
        return date_parts(text.strip(), form, tuple(field["parts"]))
    except (AttributeError, ValueError, OverflowError):
        day = datetime.datetime(1999, 12, 31, 23, 59, tzinfo=datetime.UTC)
        raise RequestError(
            422,
            f"{name} needs a date for {field['name']}, written as {date_text(day, form)}, "
            f"but receives {value!r}.",
            "Write it as in the training data.",
            name,
        ) from None


def _number(name: str, field: Json, value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise RequestError(
            422, f"{name} needs a number for {field['name']} but receives {value!r}.", place=name
        )
    try:
        with np.errstate(over="ignore"):
            return float(np.float32(value))
    except OverflowError:
        return np.inf
