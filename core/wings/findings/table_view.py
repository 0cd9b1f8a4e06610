"""A table as findings look at it: its columns as numbers, the answers, and the part of each row.

Nothing is executed: a Dataset in Python is left out.
"""

# torch declares the types of some functions in part only.
# pyright: reportUnknownMemberType=false

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from core.common.errors import DataError
from core.data.facts.info import DataInfo, describe
from core.data.facts.settings import DataSettings, read_settings
from core.data.sources.paths import locate
from core.data.table.cells import Cells, as_numbers
from core.data.table.columns import ColumnRead, read_column
from core.data.table.dates import numbers_of
from core.data.table.read import Table, read_table

MOST_ROWS = 20_000
"""Rows that are looked at: a share of 1 % is then known to 0.1 %, and sorting them takes 2 ms."""
MOST_CELLS = 2_000_000
"""Cells that are looked at, so that 2,000 columns take about 3 s; more columns mean fewer rows."""
MOST_LABELS = 20
"""Labels that leaks are looked for of, each like a target of its own."""
LEAST_ROWS = 20
"""Rows from which on scores mean anything: one mistake is then 5 %."""
UNSEEN = ("transform", "noise", "normalize", "inputs", "target")
"""Settings that change nothing about the table itself."""
Floats = NDArray[np.float64]
Ints = NDArray[np.intp]


@dataclass(frozen=True)
class TableColumn:
    """One column. values: (S,) numbers, days of dates, or places of `words`; NaN where one is
    missing. used: whether the network may read it. read: how the file's cells are read."""

    name: str
    kind: Literal["number", "category", "date"]
    values: Floats
    used: bool = True
    words: tuple[str, ...] = ()
    read: ColumnRead | None = None

    @cached_property
    def known(self) -> Floats:
        """The values that are there."""
        return self.values[~np.isnan(self.values)]

    @cached_property
    def levels(self) -> Floats:
        """The different values."""
        return np.unique(self.known)

    @property
    def whole(self) -> bool:
        """Whether all values are whole numbers."""
        return bool(len(self.known)) and bool((self.known == np.floor(self.known)).all())


@dataclass(frozen=True)
class TableView:
    """A table of S rows. answers: (S,) numbers or places of `classes`. train, validation: places of
    rows. rows: of the file. cells: the file as read, kept: its rows that these are; None for
    data that is no CSV file. mode: what decides the split. note: which part was looked at, "" for
    all of it. owners: (S,) a number for rows that belong together; () where each stands alone.
    labels: where a row may have several, the name of each and (S,) which rows have it; classes are
    then what stands together."""

    data: Mapping[str, Any]
    columns: tuple[TableColumn, ...]
    target: str
    classes: tuple[str, ...]
    answers: Floats
    train: Ints
    validation: Ints
    rows: Ints
    cells: Cells | None = None
    kept: Ints = field(default_factory=lambda: np.arange(0))
    mode: str = "random"
    note: str = ""
    target_read: ColumnRead | None = None
    owners: Ints = field(default_factory=lambda: np.arange(0))
    labels: tuple[tuple[str, Floats], ...] = ()

    @property
    def used(self) -> tuple[TableColumn, ...]:
        """The columns that the network reads."""
        return tuple(column for column in self.columns if column.used)

    @property
    def inputs(self) -> tuple[str, ...]:
        """Their names."""
        return tuple(column.name for column in self.used)

    @property
    def can_drop(self) -> bool:
        """Whether settings can leave out a column."""
        return self.cells is not None

    @cached_property
    def part_of(self) -> NDArray[np.int8]:
        """(S,) 0 for rows that are learned from, 1 for those that validate, 2 for others."""
        found = np.full(len(self.answers), 2, np.int8)
        found[self.train], found[self.validation] = 0, 1
        return found

    @property
    def by_label(self) -> "tuple[TableView, ...]":
        """A view for each label with that alone as its target; itself where there are none."""
        return tuple(
            replace(self, target=name, classes=("no", "yes"), answers=answers, labels=())
            for name, answers in self.labels
        ) or (self,)

    def file_rows(self, places: Any) -> tuple[int, ...]:
        """Rows of the file at some places, the first few."""
        from core.wings.findings.finding import SHOWN_ROWS

        return tuple(int(row) for row in self.rows[np.sort(places)[:SHOWN_ROWS]])


def view_table(data: Mapping[str, Any], seed: int) -> TableView:
    """Read a table by the data settings of a project. Raises DataError.

    seed: of the training, which decides a random split.
    """
    plain = {k: v for k, v in data.items() if k not in UNSEEN}
    settings = read_settings(plain, seed)
    shape, ends = settings.source.shape, (len(settings.source.classes) or 1,)
    if settings.source.name != "CSV":
        return _arrays(data, plain | {"normalize": False}, settings, seed)
    assert settings.custom is not None
    table = read_table(locate(settings.custom.path, settings.custom.key), settings.custom)
    train, validation = _parts(table, describe(plain, shape, ends, seed=seed), seed)
    chosen, note = _sample(table.count, len(table.read.names))
    kept = table.rows[chosen]
    used = {column.name: column for column in table.columns}
    names = [name for name in table.read.names if name not in table.answer.names]
    columns = (
        _column(table.read, used.get(name) or _unused(table.read, name, settings), kept)
        for name in names
    )
    answers, classes = combined(table.answers()[chosen], table.answer.classes)
    numbers = np.frombuffer(table.read.structure.rows, table.read.structure.rows.typecode)
    return TableView(
        data,
        tuple(replace(c, used=c.name in used) for c in columns if c is not None),
        table.answer.name,
        classes,
        answers,
        _moved(train, chosen),
        _moved(validation, chosen),
        numbers[kept].astype(np.intp),
        table.read,
        kept,
        settings.parts.split.mode,
        note,
        None if table.answer.labels else table.answer.columns[0],
        labels=_labels(table, chosen),
    )


def combined(answers: Floats, names: tuple[str, ...]) -> tuple[Floats, tuple[str, ...]]:
    """Answers and names of classes; of several labels, (S, L), what stands together is a class."""
    if answers.ndim == 1:
        return answers, names
    rows, places = np.unique(answers, axis=0, return_inverse=True)
    words = (", ".join(n for n, yes in zip(names, row, strict=True) if yes) for row in rows)
    return places.reshape(-1).astype(np.float64), tuple(each or "no label" for each in words)


def _labels(table: Table, chosen: Ints) -> tuple[tuple[str, Floats], ...]:
    """The labels of the rows that are looked at, the first few of them; () without several."""
    if not table.answer.several:
        return ()
    marks = table.answers()[chosen]
    return tuple((name, marks[:, i]) for i, name in enumerate(table.answer.classes[:MOST_LABELS]))


def _parts(table: Table, info: DataInfo, seed: int) -> tuple[Ints, Ints]:
    """Places of the samples that are learned from, and of those that validate."""
    import torch

    from core.data.batches.split import split_in_parts

    answers = torch.from_numpy(table.answers())
    one = table.answer.classes and not table.answer.several
    answers = answers.long() if one else answers.float()
    found = split_in_parts(info, table.count, answers, info.origin.test, seed, table.keys())
    return found[0].numpy().astype(np.intp), found[1].numpy().astype(np.intp)


def _sample(rows: int, columns: int) -> tuple[Ints, str]:
    """Places of the rows that are looked at, in order, and a sentence where that is a part."""
    most = max(500, min(MOST_ROWS, MOST_CELLS // max(columns, 1)))
    if rows <= most:
        return np.arange(rows), ""
    chosen = np.sort(np.random.default_rng(0).choice(rows, most, replace=False))
    return chosen, f"{most:,} of {rows:,} rows were looked at, drawn at random."


def _moved(places: Ints, chosen: Ints) -> Ints:
    """Places among the chosen rows, of those that are chosen."""
    return np.flatnonzero(np.isin(chosen, places))


def _unused(read: Cells, name: str, settings: DataSettings) -> ColumnRead:
    assert settings.custom is not None
    return read_column(read, name, settings.custom)


def _column(read: Cells, column: ColumnRead, kept: Ints) -> TableColumn | None:
    """The values of a column at some rows of the file; None where it cannot be read."""
    if column.kind == "number":
        numbers = read.numbers.get(column.place)
        if numbers is None:
            numbers = as_numbers(read.words(column.place), column.spelling, column.missing)
        values = numbers[kept].copy()
        values[np.isinf(values)] = np.nan
        return TableColumn(column.name, "number", values, read=column)
    words = read.words(column.place)
    places, values = words.places[kept], np.full(len(words.words), np.nan)
    for place in np.unique(places):
        word = words.words[place]
        if word in column.missing:
            continue
        try:
            values[place] = _days(word, column.date) if column.date else place
        except DataError:  # named where the column is read
            return None
    return TableColumn(column.name, column.kind, values[places], words=words.words, read=column)


def _days(word: str, form: str) -> float:
    return numbers_of(word, form, ("days",), "")[0]


def _arrays(
    data: Mapping[str, Any], plain: dict[str, Any], settings: DataSettings, seed: int
) -> TableView:
    """Data that comes with Layerloom, or an NPZ file: rows of numbers."""
    from core.data.batches.dataset import load

    source = settings.source
    loaded = load(plain, source.shape, (len(source.classes) or 1,), seed)
    values = loaded.inputs.reshape(len(loaded.inputs), -1).numpy()
    answers = loaded.targets.flatten() if loaded.labels is None else loaded.labels
    chosen, note = _sample(*values.shape)
    names = source.columns or tuple(f"x{i}" for i in range(1, values.shape[1] + 1))
    return TableView(
        data,
        tuple(
            TableColumn(name, "number", values[chosen, i].astype(np.float64))
            for i, name in enumerate(names)
        ),
        source.target_name,
        source.classes if loaded.labels is not None else (),
        answers.numpy().astype(np.float64)[chosen],
        _moved(loaded.train_indices.numpy(), chosen),
        _moved(loaded.validation_indices.numpy(), chosen),
        chosen + 1,
        mode=settings.parts.split.mode,
        note=note,
    )
