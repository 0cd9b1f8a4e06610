"""Whether the first row of a table names its columns, and whether a second one holds units."""

from collections.abc import Sequence

from core.data.table.cell_words import MISSING
from core.samples.number_spelling import NumberSpelling

_SPELLINGS = (
    NumberSpelling(),
    NumberSpelling(","),
    NumberSpelling(".", ","),
    NumberSpelling(",", "."),
)
Row = Sequence[str]


def is_number(cell: str) -> bool:
    """Whether a cell is a number in some spelling."""
    return any(spelling.number(cell) is not None for spelling in _SPELLINGS)


def has_header(rows: Sequence[Row]) -> bool:
    """Whether the first row names columns: with words that do not come again below.

    Names may be numbers, such as years, or the 0, 1, 2, ... of an array that was saved.
    """
    first, rest = rows[0], [row for row in rows[1:] if len(row) == len(rows[0])]
    words = [i for i, cell in enumerate(first) if not is_number(cell)]
    if len(words) == len(first):
        return not _recurs(first, rest)
    columns = {i: [row[i] for row in rest] for i in words if first[i].lower() not in MISSING}
    if not columns:
        return len(first) > 2 and list(first) == [str(i) for i in range(len(first))]
    strange = all(first[i] not in cells for i, cells in columns.items())
    return strange and any(
        len(set(cells)) < len(cells) or any(map(is_number, cells)) for cells in columns.values()
    )


def _recurs(first: Row, rest: Sequence[Row]) -> bool:
    """Whether a row of words holds values: most of them come again in their own column."""
    below = [row for row in rest if list(row) != list(first)]
    if not below:
        return False
    columns = [{row[i] for row in below} for i in range(len(first))]
    if any(2 * sum(map(is_number, cells)) > len(cells) for cells in columns):
        return False
    named = [i for i, cell in enumerate(first) if cell]
    return 2 * sum(first[i] in columns[i] for i in named) >= len(named) > 0


def is_units(row: Row, rest: Sequence[Row]) -> bool:
    """Whether a row below the names has words where all others have numbers, such as kg and m."""
    good = [other for other in rest if len(other) == len(row)]
    numbers = [i for i in range(len(row)) if good and all(is_number(o[i]) for o in good)]
    words = all(row[i] and not is_number(row[i]) and row[i].lower() not in MISSING for i in numbers)
    return bool(numbers) and words and not any(map(is_number, row))
