"""Guess whether the rows of a table have several labels: in columns of 0 and 1, or in one cell.

Columns of yes and no are usual inputs, too, so that they are labels only where more says so: names
that begin alike, exactly one yes in each row, or four and more of them and none before.
"""

from collections import Counter
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.data.sources.label_settings import SEPARATORS
from core.data.table.answers import NO_OF, is_label, parted, stem_of
from core.data.table.cells import Cells
from core.data.table.columns import ColumnRead, missing_mask

LISTS = frozenset(("tag", "tags", "label", "labels", "genre", "genres", "topic", "topics"))
LISTS |= {"category", "categories", "keywords", "classes", "targets", "skills", "symptoms"}
"""Usual names of columns with several labels in a cell."""
SURE = (";", "|")
"""Signs that stand in few other cells; a comma or a blank parts words of one name, too."""
MANY, ONE_HOT = 4, 3
"""From so many columns on they are labels, whatever they are called."""
MOST, EACH, SHARE, LONG = 64, 5, 0.05, 40
"""Of labels in cells: the most, the fewest rows of each on average, the least share of cells with
more than one, and the most characters of one."""
Settings = dict[str, Any]


def guess_labels(read: Cells, columns: Mapping[str, ColumnRead], named: str) -> Settings:
    """Settings of the labels of a table; {} for none. named: a column called like a target."""
    for name in read.names if not named else (named,):
        usual = name.lower() in LISTS or name == read.names[-1]
        if usual and (sign := separator_of(read, name)):
            return {"target_column": name, "label_separator": sign}
    if named:
        return {}
    found = label_columns(read, columns)
    return {"target_columns": found} if found else {}


def label_columns(read: Cells, columns: Mapping[str, ColumnRead]) -> list[str]:
    """The last columns of a table where they are labels; [] where they may as well be inputs."""
    last = last_yes_and_no(read, columns)
    alike = next((last[k:] for k in range(len(last) - 1) if stem_of(last[k:])), [])
    if alike and len(alike) < len(read.names):
        return alike
    if len(last) < ONE_HOT or len(last) == len(read.names):
        return []
    marks = _marks(read, [columns[name] for name in last])
    if (marks.sum(1) == 1).all():
        return last
    before = [name for name in read.names if name not in last]
    plain = not any(is_label(read, columns[name]) for name in before)
    inputs = (marks[:, :-1].sum(1) == 1).all()  # one-hot, and a target of yes and no
    return last if len(last) >= MANY and plain and not inputs else []


def last_yes_and_no(read: Cells, columns: Mapping[str, ColumnRead]) -> list[str]:
    """The columns at the end of a table that hold only yes and no."""
    found: list[str] = []
    for name in reversed(read.names):
        if not is_label(read, columns[name]):
            break
        found.insert(0, name)
    return found


def _marks(read: Cells, columns: list[ColumnRead]) -> NDArray[np.bool_]:
    """(N, L) of the rows that miss none of these columns."""
    whole = ~np.any([missing_mask(read, column) for column in columns], axis=0)
    yes = [
        read.words(c.place).is_any([w for w in c.words if w.lower() in NO_OF])
        if c.words
        else read.numbers[c.place] == 1
        for c in columns
    ]
    return np.stack(yes, axis=1)[whole]


def separator_of(read: Cells, name: str) -> str:
    """The sign between the labels in the cells of a column; "" where a cell is one value."""
    place = read.names.index(name)
    if place in read.numbers:
        return ""
    counts = {w: n for w, n in read.words(place).counts().items() if w not in read.missing(place)}
    signs = SEPARATORS if name.lower() in LISTS else SURE
    return next((sign for sign in signs if _parts_labels(counts, sign)), "")


def _parts_labels(counts: Mapping[str, int], sign: str) -> bool:
    """Whether cells are few labels in ever new combinations. counts: rows of each cell."""
    rows, cells = sum(counts.values()), {cell: parted(cell, sign) for cell in counts}
    several = sum(n for cell, n in counts.items() if len(cells[cell]) > 1)
    if several < SHARE * rows or len({len(labels) for labels in cells.values()}) < 2:
        return False
    found = Counter[str]()
    for cell, labels in cells.items():
        found.update({label: counts[cell] for label in labels})
    short = all(len(label) <= LONG and any(map(str.isalnum, label)) for label in found)
    return short and 2 <= len(found) <= MOST and EACH * len(found) <= found.total()
