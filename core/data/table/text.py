"""Whether a text file is a table: what is called .txt or .dat may be either."""

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from core.common.errors import DataError
from core.data.table.encoding import encoding_of
from core.data.table.header import is_number

LOOKED_AT = 64 << 10  # characters
SEPARATORS = ("\t", ";", "|", ",")
LEAST_ROWS = 3
Rows = Sequence[Sequence[str]]


def is_table(path: Path) -> bool:
    """Whether the first lines have the same number of cells, with a column of numbers.

    Runs of spaces separate cells only where every line below the first holds numbers alone.
    """
    with suppress(DataError, OSError, UnicodeError):
        lines = _lines(path)
        if len(lines) < LEAST_ROWS:
            return False
        separated = ([line.split(each) for line in lines] for each in SEPARATORS)
        if any(_is_even(rows) and _has_numbers(rows) for rows in separated):
            return True
        spaced = [line.split() for line in lines]
        return _is_even(spaced) and all(is_number(cell) for row in spaced[1:] for cell in row)
    return False


def _lines(path: Path) -> list[str]:
    """The first lines that are not empty, whole ones only."""
    with path.open(encoding=encoding_of(path, path.name)) as file:
        text = file.read(LOOKED_AT)
    lines = text.split("\n")[: -1 if len(text) == LOOKED_AT else None]
    return [line for line in lines if line.strip()]


def _is_even(rows: Rows) -> bool:
    return len({len(row) for row in rows}) == 1 < len(rows[0])


def _has_numbers(rows: Rows) -> bool:
    """Whether most cells of a column below the first row are numbers."""
    columns = zip(*rows[1:], strict=True)
    return any(2 * sum(is_number(c.strip()) for c in cells) > len(rows) - 1 for cells in columns)
