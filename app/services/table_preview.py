"""How a table is read, for the form that changes it. Runs in a worker process.

It works for a table that cannot be read yet, too.
"""

from dataclasses import dataclass, field
from typing import Any

from core.data import DataError
from core.data.sources.custom_source import read_custom_source
from core.data.sources.paths import locate
from core.data.table.answers import is_label
from core.data.table.cell_words import MISSING
from core.data.table.cells import Cells, read_cells
from core.data.table.column_check import (
    ColumnCheck,
    check_column,
    notes_on_table,
    without_empty,
)
from core.data.table.column_kinds import Kinds, kinds_of
from core.data.table.guess_labels import separator_of
from core.data.table.guess_texts import free_texts
from core.data.table.read import fill_choices
from core.data.table.series_guess import may_be_in_time
from core.data.table.structure import Structure


@dataclass(frozen=True)
class ColumnPreview:
    """One column. kind: number, category or date; holes: missing values, the first in row `first`;
    ways: what may become of them, the usual first; forms: formats that all dates fit. kinds: what
    it can be read as, and why it is what it is. label: whether it holds only yes and no;
    separators: what may stand between labels in its cells."""

    name: str
    kind: str
    holes: int
    first: int
    ways: tuple[str, ...]
    parts: tuple[str, ...] = ()
    form: str = ""
    forms: tuple[str, ...] = ()
    thousands: str = ""
    label: bool = False
    separators: tuple[str, ...] = ()
    kinds: Kinds = field(default_factory=lambda: Kinds((), ""))


@dataclass(frozen=True)
class TablePreview:
    """A table as it is read now. notes: what differs from a plain file, with row numbers; error:
    why the file is not a table, if so. texts: names of columns of free text. in_time: whether rows
    may be steps in time."""

    columns: tuple[ColumnPreview, ...] = ()
    separator: str = ","
    decimal: str = "."
    thousands: str = ""
    header: int = 1
    first: int = 2
    footer: int = 0
    missing: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    error: str = ""
    texts: tuple[str, ...] = ()
    in_time: bool = False

    @property
    def names(self) -> list[str]:
        return [column.name for column in self.columns]


def preview_table(data: dict[str, Any]) -> TablePreview:
    """Look at the file that a project's data names; what is not a table becomes an error."""
    try:
        given = read_custom_source(data)
        assert given is not None
        read = read_cells(locate(given.path, given.key), given.path, given.table)
        checks = {name: check_column(read, name, given) for name in read.names}
        if given.label_separator:
            name = given.targets(read.names)[0]
            checks[name] = without_empty(read, checks[name])
        targets = [checks[name] for name in given.targets(read.names)]
        chosen = [checks[name] for name in given.columns if name in checks] or [
            check for check in checks.values() if check not in targets
        ]
        notes = notes_on_table(read, chosen, targets)
        every = [check.column for check in checks.values()]
        in_time = may_be_in_time(read, every, targets[0].column)
    except (DataError, KeyError) as error:
        return TablePreview(error=str(error))
    columns = tuple(_column(read, check, check in targets) for check in checks.values())
    signs = {column.thousands for column in columns if column.thousands}
    words = {w for f in checks.values() for w in f.column.missing if w and w.lower() not in MISSING}
    missing = tuple(sorted({*words, *(given.table.missing or ())}))
    header, first, footer = _rows(read.structure)
    return TablePreview(
        columns,
        read.delimiter,
        read.decimal or ".",
        next(iter(signs), ""),
        header,
        first,
        footer,
        missing,
        notes,
        texts=free_texts(read),
        in_time=in_time,
    )


def _rows(structure: Structure) -> tuple[int, int, int]:
    return structure.header, structure.first, structure.footer


def _column(read: Cells, check: ColumnCheck, target: bool) -> ColumnPreview:
    column, kinds = check.column, kinds_of(read, check, target)
    return ColumnPreview(
        column.name,
        column.kind,
        check.missing_count,
        check.first_missing_row,
        fill_choices(column, target),
        column.parts,
        column.date,
        check.date_formats,
        column.thousands,
        is_label(read, column),
        tuple(filter(None, [separator_of(read, column.name)])),
        kinds,
    )
