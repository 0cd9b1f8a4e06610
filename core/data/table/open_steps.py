"""Numbers that end in words: 2, 3, 4, 5more are steps, and none of them is missing."""

import re

from core.data.table.cells import Cells
from core.data.table.columns import ColumnRead

MOST_STEPS = 20
"""The most different cells of such a column: more are measurements with a limit, which stay
numbers."""
_NUMBER = r"[+-]?\d+(?:[.,]\d+)?"
_MORE = (
    r"(?:(?:or|and) )?(?:more|over|up|above|plus|older|later|less|fewer|under|below|younger)|"
    r"(?:(?:und|oder) )?(?:mehr|weniger|älter|jünger)|et plus|ou plus|ou moins|[oy] m[aá]s|"
    r"o menos|ou mais|o più|of meer|eller fler"
)
_LESS = (
    r"over|under|above|below|more than|less than|at least|at most|up to|über|unter|mehr als|"
    r"weniger als|ab|bis|plus de|moins de|más de|menos de|[<>≤≥]=?"
)
_STEP = re.compile(
    rf"(?:{_LESS})\s*{_NUMBER}|{_NUMBER}\s*(?:\+|[-_ ]?(?:{_MORE}))|"
    rf"{_NUMBER}\s*[-\u2013]\s*{_NUMBER}|{_MORE}|many|few|several|viele|wenige|beaucoup|muchos",
    re.IGNORECASE,
)


def is_step(cell: str) -> bool:
    """Whether a cell is a number with an open end, a range, or a word for more."""
    return _STEP.fullmatch(cell) is not None


def has_open_steps(read: Cells, column: ColumnRead) -> bool:
    """Whether a column of few different numbers has such cells among them, and no other words."""
    if column.kind != "number" or column.place in read.numbers:
        return False
    words = [word for word in read.words(column.place).words if word not in column.missing]
    number = column.spelling.number
    strange = [word for word in words if number(word) is None]
    return len(words) <= MOST_STEPS and bool(strange) and all(map(is_step, strange))
