"""How a table is read, for the form that changes it. Runs in a worker process.

It works where the table cannot be read as it is, so that there is always a way out.
"""

from dataclasses import dataclass, field
from typing import Any

from core.data import DataError
from core.data.cell_words import MISSING
from core.data.cells import Cells, read_cells
from core.data.column_kinds import Kinds, kinds_of
from core.data.custom_source import read_custom_source
from core.data.judged import Judged, judge, said
from core.data.paths import locate
from core.data.structure import Structure
from core.data.table import ways


@dataclass(frozen=True)
class ColumnLook:
    """One column. kind: number, category or date; holes: missing values, the first in row `first`;
    ways: what may become of them, the usual first; forms: formats that all dates fit. kinds: what
    it can be read as, and why it is what it is."""

    name: str
    kind: str
    holes: int
    first: int
    ways: tuple[str, ...]
    parts: tuple[str, ...] = ()
    form: str = ""
    forms: tuple[str, ...] = ()
    thousands: str = ""
    kinds: Kinds = field(default_factory=lambda: Kinds((), ""))


@dataclass(frozen=True)
class TableLook:
    """A table as it is read now. said: what was decided, with the rows that made it; error: why
    the file is not a table, if so."""

    columns: tuple[ColumnLook, ...] = ()
    separator: str = ","
    decimal: str = "."
    thousands: str = ""
    header: int = 1
    first: int = 2
    footer: int = 0
    missing: tuple[str, ...] = ()
    said: tuple[str, ...] = ()
    error: str = ""

    @property
    def names(self) -> list[str]:
        return [column.name for column in self.columns]


def look(data: dict[str, Any]) -> TableLook:
    """Look at the file that a project's data names; what is not a table becomes an error."""
    try:
        given = read_custom_source(data)
        assert given is not None
        read = read_cells(locate(given.path, given.key), given.path, given.table)
        judged = {name: judge(read, name, given) for name in read.names}
        target = judged[given.target_column or read.names[-1]]
        chosen = [judged[name] for name in given.columns if name in judged] or [
            found for found in judged.values() if found is not target
        ]
        told = said(read, chosen, target)
    except (DataError, KeyError) as error:
        return TableLook(error=str(error))
    columns = tuple(_column(read, found, found is target) for found in judged.values())
    signs = {column.thousands for column in columns if column.thousands}
    words = {w for f in judged.values() for w in f.column.missing if w and w.lower() not in MISSING}
    missing = tuple(sorted({*words, *(given.table.missing or ())}))
    header, first, footer = _rows(read.structure)
    return TableLook(
        columns,
        read.delimiter,
        read.decimal or ".",
        next(iter(signs), ""),
        header,
        first,
        footer,
        missing,
        told,
    )


def _rows(found: Structure) -> tuple[int, int, int]:
    return found.header, found.first, found.footer


def _column(read: Cells, found: Judged, target: bool) -> ColumnLook:
    column, kinds = found.column, kinds_of(read, found, target)
    return ColumnLook(
        column.name,
        column.kind,
        found.holes,
        found.first,
        ways(column, target),
        column.parts,
        column.date,
        found.forms,
        column.thousands,
        kinds,
    )
