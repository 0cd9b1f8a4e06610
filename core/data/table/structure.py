"""Where the table begins and ends in its file: separator, rows above, names, and rows below.

The file is read once, row after row, of which only the first and the last are kept.
"""

import csv
import re
from array import array
from collections import Counter, deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any, TextIO

from core.common.errors import DataError
from core.data.sources.table_settings import TableSettings
from core.data.table.encoding import encoding_of, title_of
from core.data.table.header import has_header, is_number, is_units

LARGEST_BYTES, MOST_COLUMNS = 200 << 20, 4096
DELIMITERS = (",", ";", "\t", "|")
LOOKED_AT = 200  # lines that tell the separator
KEPT_ROWS, KEPT_CELLS, MOST_BELOW = 2000, 200_000, 5
SEP_LINE = re.compile(r'"?sep=(.)"?\s*', re.IGNORECASE)
SUMS = re.compile(
    r"(grand |sub)?(total|sum|average|avg|mean|median|count|summe|gesamt|mittelwert|durchschnitt|"
    r"insgesamt|somme|moyenne|suma|promedio|totale|media|std|min|max)s?\b[ :]*",
    re.IGNORECASE,
)
PAGE = ("<!doctype html", "<html")
Rows = list[list[str]]


@dataclass(frozen=True)
class Structure:
    """How a file is parted. header: row of the names, 0 for none; first: row where the values
    begin; footer: rows at the end that are left out; rows: the rows of values, by their numbers in
    the file; above, below: the rows left out, as (row, its text)."""

    encoding: str
    separator: str
    header: int
    first: int
    footer: int
    names: tuple[str, ...]
    rows: "array[int]"
    above: tuple[tuple[int, str], ...] = ()
    below: tuple[tuple[int, str], ...] = ()

    def layout(self, names: Sequence[str]) -> dict[str, Any]:
        """Where the rows of the table stand in its file, for scripts, pages and servers."""
        return {
            "delimiter": self.separator,
            "header": self.header > 0,
            "all": names,
            "encoding": self.encoding,
            "first": self.first,
            "last": self.rows[-1],
            "names_row": self.header,
            "footer": self.footer,
            "above": self.above,
            "below": self.below,
        }


@dataclass
class _Seen:
    """What one pass over the file keeps of it. prints: the hash of each row."""

    sizes: "array[int]" = field(default_factory=lambda: array("i"))
    filled: "array[int]" = field(default_factory=lambda: array("i"))
    prints: "array[int]" = field(default_factory=lambda: array("q"))
    start: Rows = field(default_factory=list)
    end: deque[tuple[int, list[str]]] = field(default_factory=lambda: deque(maxlen=64))


def open_table(path: Path, encoding: str) -> TextIO:
    """The file as text, its line ends as they are."""
    return path.open(encoding=encoding, newline="")


def rows_of(lines: Iterator[str], separator: str) -> Iterator[list[str]]:
    """Rows of cells; of several spaces between cells each run counts once."""
    return csv.reader(lines, delimiter=separator, skipinitialspace=separator == " ")


def structure_of(path: Path, name: str, given: TableSettings) -> Structure:
    """Split a file into rows by the settings, else as it most likely is. Raises DataError."""
    size = path.stat().st_size
    if size > LARGEST_BYTES:
        raise DataError(
            f"{name} has {size / 1e6:,.0f} MB, more than {LARGEST_BYTES >> 20}.",
            "Use fewer rows, or save it as NPZ.",
        )
    encoding = given.encoding or encoding_of(path, name)
    try:
        with open_table(path, encoding) as file:
            lines = list(islice(file, LOOKED_AT))
            _refuse_page(name, lines)
            separator = given.separator or _separator(lines)
            file.seek(0)
            seen = _look(file, separator)
    except UnicodeError as error:
        raise DataError(
            f"{name} is not {title_of(encoding)} text: {error}.", "Save it as CSV in UTF-8."
        ) from error
    except csv.Error as error:
        raise DataError(f"{name} is not a table: {error}.", "Save it as CSV again.") from error
    return _parted(name, encoding, separator, seen, given)


def _refuse_page(name: str, lines: Sequence[str]) -> None:
    start = "".join(lines[:3]).lstrip().lower()
    if start.startswith(PAGE):
        raise DataError(f"{name} is a web page, not a table.", "Download the file itself.")


def _look(file: TextIO, separator: str) -> _Seen:
    seen, cells = _Seen(), 0
    for number, row in enumerate(rows_of(file, separator), 1):
        filled = sum(1 for cell in row if cell and not cell.isspace())
        seen.sizes.append(len(row))
        seen.filled.append(filled)
        seen.prints.append(hash(tuple(row)))
        if number <= KEPT_ROWS and cells < KEPT_CELLS:
            seen.start.append([cell.strip() for cell in row])
            cells += len(row)
        if filled:
            seen.end.append((number, [cell.strip() for cell in row]))
    return seen


def _separator(lines: Sequence[str]) -> str:
    """What parts every row into as many cells; numbers may hold commas, so they come last.

    Where nothing parts every row alike, what parts most rows into as many cells as the others.
    """
    if lines and (stated := SEP_LINE.fullmatch(lines[0])):
        return stated[1]
    whole = slice(None, -1 if len(lines) == LOOKED_AT else None)  # a last one may be cut in a quote
    counts = {d: [len(row) for row in _filled(lines, d)[whole]] or [0] for d in DELIMITERS}
    even = [d for d, numbers in counts.items() if len(set(numbers)) == 1 < numbers[0]]
    others = [d for d in even if d != ","]
    if even:
        return max(others or even, key=lambda d: counts[d][0])
    most = {d: Counter(n for n in numbers if n > 1).most_common(1) for d, numbers in counts.items()}
    shares = {d: top[0][1] / len(counts[d]) for d, top in most.items() if top}
    if shares and max(shares.values()) >= 0.5:
        return max(shares, key=lambda d: (round(shares[d], 1), d != ",", most[d][0][0]))
    spaced = [len([c for c in row if c]) for row in _filled(lines, " ")[whole]]
    if len(set(spaced)) == 1 and spaced[0] > 1 and not any(shares):
        return " "
    return max(shares or DELIMITERS, key=lambda d: counts[d][0])


def _filled(lines: Sequence[str], separator: str) -> Rows:
    return [row for row in rows_of(iter(lines), separator) if any(row)]


def _parted(
    name: str, encoding: str, separator: str, seen: _Seen, given: TableSettings
) -> Structure:
    there = [i for i, filled in enumerate(seen.filled) if filled]
    if len(there) < 3 and given.first is None and given.header is None:
        if not there:
            raise DataError(f"{name} is empty.", "Choose a file that is not empty.")
        count = "1 row" if len(there) == 1 else f"{len(there)} rows"
        raise DataError(f"{name} has {count}.", "A table needs more rows.")
    width = _width(seen, there)
    begin = _begin(seen, there, width, given)
    header, first = _names_and_first(seen, [i for i in there if i >= begin], width, given)
    footer = _footer(seen, first - 1, width) if given.footer is None else given.footer
    rows = array("l", [i + 1 for i in there if i >= first - 1])
    rows = rows[: len(rows) - footer] if footer else rows
    names = _names(name, seen, header, width, rows)
    _check_rows(name, seen, rows, len(names), header)
    above = tuple(
        (i + 1, _text(seen.start[i]))
        for i in there
        if i < first - 1
        and i + 1 != header
        and i < len(seen.start)
        and not SEP_LINE.fullmatch(_text(seen.start[i]))
    )
    last = list(seen.end)[len(seen.end) - footer :] if footer else []
    below = tuple((number, _text(row)) for number, row in last)
    return Structure(encoding, separator, header, first, footer, names, rows, above, below)


def _text(row: Sequence[str]) -> str:
    return ", ".join(cell for cell in row if cell)


def _width(seen: _Seen, there: Sequence[int]) -> int:
    """How many cells the rows of the table have: as many as most of them."""
    counts = Counter(seen.sizes[i] for i in there)
    return counts.most_common(1)[0][0] if counts else 0


def _begin(seen: _Seen, there: Sequence[int], width: int, given: TableSettings) -> int:
    """Place of the first row of the table: titles, notes and comments above have fewer cells."""
    if given.header:
        return given.header - 1
    if given.first is not None:
        return given.first - 1 if given.header == 0 else max(0, given.first - 2)
    for place, i in enumerate(there):
        last = i + 1 >= len(seen.start) or place + 3 > len(there)
        if last or not _is_title(seen, i, width):
            return i
    return there[0]


def _is_title(seen: _Seen, place: int, width: int) -> bool:
    row, size = seen.start[place], seen.sizes[place]
    if row[0].startswith("#") and size != width:
        return True
    if SEP_LINE.fullmatch(",".join(row)):
        return True
    if size < width - 1 or (size < width and seen.filled[place] == 1 and not is_number(row[0])):
        return width > 1
    return width > 2 and seen.filled[place] == 1 and bool(row[0]) and not is_number(row[0])


def _names_and_first(
    seen: _Seen, there: Sequence[int], width: int, given: TableSettings
) -> tuple[int, int]:
    """The row of the names, 0 for none, and that where the values begin."""
    kept = [i for i in there if i < len(seen.start)]
    if not kept:
        return (given.header or 0), (given.first or 1)
    head, rest = kept[0], kept[1:]
    if given.header is not None:
        header = given.header
        after = [i for i in rest if i + 1 > header] if header else kept
        return header, given.first or (after[0] + 1 if after else header + 1)
    rows = [seen.start[i] for i in kept]
    short = len(rows[0]) == width - 1 and all(c and not is_number(c) for c in rows[0])
    if not short and not has_header(rows):
        return 0, given.first or head + 1
    units = len(rest) > 3 and is_units(rows[1], rows[2:])
    return head + 1, given.first or (rest[1 if units else 0] + 1 if rest else head + 2)


def _footer(seen: _Seen, first: int, width: int) -> int:
    """How many rows at the end are sums, notes or sources rather than values."""
    count = 0
    for number, row in reversed(seen.end):
        if number - 1 <= first + 1 or count == MOST_BELOW or not _is_below(row, width):
            break
        count += 1
    return count


def _is_below(row: Sequence[str], width: int) -> bool:
    words = [cell for cell in row if cell]
    if len(row) < width - 1 or (len(row) < width and len(words) == 1):
        return not is_number(words[0])
    if width > 2 and len(words) == 1:
        return bool(row[0]) and not is_number(row[0])
    return bool(SUMS.fullmatch(words[0]))


def _names(name: str, seen: _Seen, header: int, width: int, rows: Sequence[int]) -> tuple[str, ...]:
    """The names of the columns; pandas leaves the column of its index without one."""
    head = seen.start[header - 1] if 0 < header <= len(seen.start) else []
    if not header:
        first = seen.sizes[rows[0] - 1] if rows else width
        head = [""] * first
    elif len(head) == width - 1:  # R leaves out the name of the rows
        head = [*head, ""] if _ends_empty(seen, rows) else ["", *head]
    names = tuple(cell or f"column_{i}" for i, cell in enumerate(head, 1))
    _check_names(name, names, header, seen)
    return names


def _ends_empty(seen: _Seen, rows: Sequence[int]) -> bool:
    """Whether a separator ends every row."""
    return all(not seen.start[row - 1][-1] for row in rows if row <= len(seen.start))


def _check_names(name: str, names: tuple[str, ...], header: int, seen: _Seen) -> None:
    if len(names) < 2 or len(names) > MOST_COLUMNS:
        row = _text(seen.start[max(header - 1, 0)])[:40] if seen.start else ""
        raise DataError(
            f"{name} has {len(names)} columns.",
            f"A table needs 2 to {MOST_COLUMNS}: "
            "a target, and others to predict it from. Its first row is "
            f"{row!r}: choose the separator on the Data page.",
        )
    twice = [n for n in names if names.count(n) > 1]
    if twice:
        raise DataError(
            f"{name} has two columns called {twice[0]!r}.",
            "Give every column its own name in the first row.",
        )


def _check_rows(name: str, seen: _Seen, rows: Sequence[int], width: int, header: int) -> None:
    """Every row must have as many cells as the table has columns."""
    if len(rows) < 2:
        raise DataError(
            f"{name} has {len(rows)} rows of values.",
            "A table needs more rows, and its values start in row data.first.",
        )
    names = seen.prints[header - 1] if header else None
    for number in rows:
        if seen.prints[number - 1] == names:
            raise DataError(f"Row {number} of {name} repeats the column names.", "Remove the row.")
        if (size := seen.sizes[number - 1]) != width:
            what = f"row {header}" if header > 1 else "the first"
            raise DataError(
                f"Row {number} of {name} has {size} cells, {what} has {width}.", "Correct the row."
            )
