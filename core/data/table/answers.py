"""What the network tells of each row of a table: a number, one class, or any of several labels.

It stands in one column, in several columns of 0 and 1, or as labels with a sign between them.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.common.errors import DataError
from core.data.sources.custom_source import CustomSource
from core.data.table.cells import Cells
from core.data.table.columns import ColumnRead, read_column, sorted_words, values_of, where

NO_OF = {"1": "0", "true": "false", "yes": "no", "y": "n", "t": "f"}
"""Words of a column of labels: each yes, and its no; in small letters."""
STEM = " _-.:=/"
"""What may end the part of their names that columns of labels share."""
MOST_LABELS = 1000
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Answers:
    """columns: one, or one for each label. labels: their names, () where a cell is a number or a
    class. marks: of each column of labels the word that is a yes, in small
    letters, "" where it is the number 1.
    separator: between the labels of a cell. single: whether each row has exactly one of them."""

    columns: tuple[ColumnRead, ...]
    labels: tuple[str, ...] = ()
    marks: tuple[str, ...] = ()
    separator: str = ""
    single: bool = False

    @property
    def classes(self) -> tuple[str, ...]:
        """Names of classes or labels, () for a number."""
        return self.labels or self.columns[0].words

    @property
    def several(self) -> bool:
        """Whether a row has any of several labels, rather than one class or number."""
        return bool(self.labels) and not self.single

    @property
    def names(self) -> tuple[str, ...]:
        """The columns of the file that hold it."""
        return tuple(column.name for column in self.columns)

    @property
    def name(self) -> str:
        """What is told, in a word: the column, or what the names of one-hot columns begin with."""
        if len(self.columns) == 1:
            return self.columns[0].name
        return (stem_of(self.names) or "class") if self.single else "labels"

    @property
    def targets(self) -> tuple[str, ...]:
        """What may be asked of a network, as `Source.targets` names it."""
        return ("labels" if self.several else "label", "input")

    def layout(self) -> dict[str, Any]:
        """How the file holds it, for scripts and pages."""
        if not self.labels:
            return {"target": asdict(self.columns[0])}
        columns = [asdict(column) for column in self.columns]
        how = {"marks": self.marks, "separator": self.separator, "single": self.single}
        return {"labels": {"columns": columns, **how}}

    def values(self, read: Cells, rows: NDArray[np.intp]) -> Floats:
        """Numbers or indices of classes, (S,); or 1 for each label that a row has, (S, L)."""
        if self.labels:
            found = self.marked(read)[rows]
            return found.argmax(1).astype(np.float64) if self.single else found
        values = values_of(read, self.columns[0])[rows]
        return values.argmax(1).astype(np.float64) if self.columns[0].words else values[:, 0]

    def marked(self, read: Cells) -> Floats:
        """A 1 for each label that a row of the file has, (N, L); of missing cells as it falls."""
        if self.separator:
            words = read.words(self.columns[0].place)
            cells = [parted(word, self.separator) for word in words.words]
            marks = np.array([[label in cell for label in self.labels] for cell in cells], float)
            return marks[words.places]
        pairs = zip(self.columns, self.marks, strict=True)
        return np.stack([_yes(read, column, mark) for column, mark in pairs], axis=1)

    def judged(self, read: Cells, rows: NDArray[np.intp]) -> "Answers":
        """The same, knowing whether each of these rows has exactly one label."""
        if len(self.columns) < 2:
            return self
        return replace(self, single=bool((self.marked(read)[rows].sum(1) == 1).all()))


def read_answers(read: Cells, given: CustomSource) -> Answers:
    """What a project wants to be told of the rows. Raises DataError naming row and column."""
    names = given.targets(read.names)
    columns = tuple(read_column(read, name, given) for name in names)
    if given.label_separator:
        return _parted_labels(read, columns[0], given)
    if len(columns) == 1:
        return Answers(columns)
    _check_labels(read, columns)
    return Answers(columns, names, tuple(_mark(column) for column in columns))


def stem_of(names: Sequence[str]) -> str:
    """What the names of columns begin with before a sign or a number: "genre" of genre_a, genre_b;
    "" for nothing."""
    first, last = min(names), max(names)
    shared = first[
        : next((i for i, (a, b) in enumerate(zip(first, last, strict=False)) if a != b), len(first))
    ]
    plain = shared.rstrip("0123456789")
    if plain and all(name[len(plain) :].isdigit() for name in names):
        return plain.strip(STEM)
    return shared[: max(map(shared.rfind, STEM)) + 1].strip(STEM)


def parted(cell: str, separator: str) -> list[str]:
    """The labels of a cell."""
    return [part.strip() for part in cell.split(separator) if part.strip()]


def _parted_labels(read: Cells, column: ColumnRead, given: CustomSource) -> Answers:
    """The labels that stand in the cells of a column, in order; an empty cell has none."""
    words = read.words(column.place).words
    holes = tuple(sorted(word for word in read.missing(column.place) if word))
    cells = [parted(word, given.label_separator) for word in words if word not in holes]
    labels = sorted_words([*dict.fromkeys(label for cell in cells for label in cell)])
    if not 2 <= len(labels) <= MOST_LABELS:
        raise DataError(
            f"{given.path}, column {column.name}, has {len(labels):,} different labels, parted by "
            f"{given.label_separator!r}; it needs 2 to {MOST_LABELS:,}.",
            "Choose the sign that stands between labels, or another target.",
        )
    plain = ColumnRead(column.name, column.place, labels, missing=holes, fill=column.fill)
    return Answers((plain,), labels, ("",), given.label_separator)


def is_label(read: Cells, column: ColumnRead) -> bool:
    """Whether a column holds only yes and no: 0 and 1, or words such as True and False."""
    return _odd_row(read, column) < 0


def _check_labels(read: Cells, columns: Sequence[ColumnRead]) -> None:
    """Raises DataError where one of several target columns holds more than yes and no."""
    rows = [_odd_row(read, column) for column in columns]
    odd = [(row, column) for row, column in zip(rows, columns, strict=True) if row >= 0]
    if not odd:
        return
    row, column = odd[0]
    words = read.words(column.place)
    cell = words.words[words.places[row]]
    labels = [label.name for at, label in zip(rows, columns, strict=True) if at < 0]
    raise DataError(
        f"{where(read, row, column)}, is {cell[:40]!r}, but each of several target columns is "
        "a label: 0 or 1, no or yes.",
        _one_kind(labels, [column.name for _, column in odd]),
    )


def _one_kind(labels: Sequence[str], odd: Sequence[str]) -> str:
    """What to do about target columns of which some are no labels."""
    single = f"set data.target_column to one column, such as {odd[0]!r}, in its place"
    if len(labels) < 2:
        return f"Remove data.target_columns and {single}."
    keep, drop = ", ".join(labels), ", ".join(odd)
    return f"Keep only the labels ({keep}) in data.target_columns, without {drop}, or {single}."


def _mark(column: ColumnRead) -> str:
    """The word that is a yes in a column of labels, "" for 1."""
    return next((word.lower() for word in column.words if word.lower() in NO_OF), "")


def _odd_row(read: Cells, column: ColumnRead) -> int:
    """The first row whose cell is neither yes nor no; -1 where there is none."""
    numbers = read.numbers.get(column.place)
    if numbers is not None and not column.words and not column.date:
        odd = ~np.isnan(numbers) & (numbers != 0) & (numbers != 1)
    else:
        words = read.words(column.place)
        known = [word for word in words.words if word not in column.missing]
        odd = ~words.is_any([*_yes_and_no(known), *column.missing])
    return int(odd.argmax()) if odd.any() else -1


def _yes_and_no(words: Sequence[str]) -> list[str]:
    """Those of a column's words that are a yes and its no, in small letters or capitals."""
    pairs = ([w for w in words if w.lower() in pair] for pair in NO_OF.items())
    return next((found for found in pairs if found), [])


def _yes(read: Cells, column: ColumnRead, mark: str) -> Floats:
    if column.words:
        words = read.words(column.place)
        return words.is_any([w for w in words.words if w.lower() == mark]).astype(np.float64)
    return read.numbers[column.place]
