"""Parsing of CSV and TSV files: the delimiter, and whether the first row is a header."""

import csv
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TextIO

from core.data.bounds import check_table
from core.errors import DataError

LARGEST_BYTES, MOST_COLUMNS = 200 << 20, 4096
DELIMITERS = (",", ";", "\t", "|")
MISSING = frozenset(("", "na", "n/a", "nan", "null", "none", "?"))
LARGEST_NUMBER = 3.4028234663852886e38
"""Of 32 bits, which is what a network is given."""
LOOKED_AT = 64  # lines that tell the delimiter
Rows = list[list[str]]


@dataclass(frozen=True)
class Cells:
    """A file in rows. header: whether its first row, which `rows` leaves out, gave the names."""

    delimiter: str
    header: bool
    names: tuple[str, ...]
    rows: Rows


def read_cells(path: Path, name: str) -> Cells:
    """Read a file. Raises DataError naming the row."""
    size = path.stat().st_size
    if size > LARGEST_BYTES:
        raise DataError(f"{name} has {size / 1e6:,.0f} MB, more than {LARGEST_BYTES >> 20}.",
                        "Take fewer rows, or save it as NPZ.")  # fmt: skip
    check_table(path, name)
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            delimiter = _delimiter(file)
            file.seek(0)
            rows = [row for row in csv.reader(file, delimiter=delimiter) if any(row)]
    except UnicodeDecodeError as error:
        raise DataError(f"{name} is no UTF-8 text (byte {error.start}).",
                        "Save it as CSV in UTF-8.") from error  # fmt: skip
    except csv.Error as error:
        raise DataError(f"{name} is no table: {error}.", "Save it as CSV again.") from error
    if len(rows) < 3:
        raise DataError(f"{name} has {len(rows)} rows.", "A table needs more to learn from.")
    return _named(name, delimiter, [[cell.strip() for cell in row] for row in rows])


def _delimiter(file: TextIO) -> str:
    """What parts every row into as many cells; numbers may hold commas, so they come last."""
    lines = list(islice(file, LOOKED_AT))
    whole = slice(None, -1 if len(lines) == LOOKED_AT else None)  # a last one may be cut in a quote
    counts = {d: [len(row) for row in _parted(lines, d)[whole]] or [0] for d in DELIMITERS}
    even = [d for d, found in counts.items() if len(set(found)) == 1 < found[0]]
    others = [d for d in even if d != ","]
    return max(others or even or DELIMITERS, key=lambda delimiter: counts[delimiter][0])


def _parted(lines: Sequence[str], delimiter: str) -> Rows:
    return [row for row in csv.reader(lines, delimiter=delimiter) if any(row)]


def _named(name: str, delimiter: str, rows: Rows) -> Cells:
    header = _has_header(rows)
    places = enumerate(rows[0], 1)  # pandas leaves the column of its index without a name
    names = tuple(cell if header and cell else f"column_{i}" for i, cell in places)
    rows = rows[1:] if header else rows
    _check_names(name, names)
    for number, row in enumerate(rows, 1 + header):
        if len(row) != len(names):
            raise DataError(f"Row {number} of {name} has {len(row)} cells, the first has "
                            f"{len(names)}.", "Repair the row.")  # fmt: skip
    return Cells(delimiter, header, names, rows)


def _has_header(rows: Rows) -> bool:
    """Whether the first row names columns: with words alone, or with some no other row has there.

    Names may be numbers, such as years, or the 0, 1, 2, ... of an array that was saved.
    """
    first, rest = rows[0], [row for row in rows[1:] if len(row) == len(rows[0])]
    words = [i for i, cell in enumerate(first) if not _numeric(cell)]
    if len(words) == len(first):
        return True
    columns = {i: [row[i] for row in rest] for i in words if first[i].lower() not in MISSING}
    if not columns:
        return len(first) > 2 and first == [str(i) for i in range(len(first))]
    strange = all(first[i] not in cells for i, cells in columns.items())
    return strange and any(
        len(set(cells)) < len(cells) or any(map(_numeric, cells)) for cells in columns.values()
    )


def _numeric(cell: str) -> bool:
    return to_number(cell.replace(",", ".")) is not None


def _check_names(name: str, names: tuple[str, ...]) -> None:
    if len(names) < 2 or len(names) > MOST_COLUMNS:
        raise DataError(f"{name} has {len(names)} columns.", f"A table needs 2 to {MOST_COLUMNS}: "
                        "one to be told, others to tell it from.")  # fmt: skip
    twice = [n for n in names if names.count(n) > 1]
    if twice:
        raise DataError(f"{name} has two columns called {twice[0]!r}.",
                        "Give every column its own name in the first row.")  # fmt: skip


def to_number(cell: str) -> float | None:
    """The number a cell holds; None for words, NaN and what is infinite in 32 bits."""
    try:
        found = float(cell)
    except ValueError:
        return None
    return found if abs(found) <= LARGEST_NUMBER else None  # not so for NaN
