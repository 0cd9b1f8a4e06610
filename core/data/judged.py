"""The judgement of columns: what each holds, why it cannot be learned from, and what was decided.

What was decided becomes settings of `data`, and a sentence that names a row.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from core.data.cell_words import MISSING
from core.data.cells import Cells, as_numbers
from core.data.custom_source import CustomSource
from core.data.dates import example, formats_of
from core.data.encoding import UTF8, title_of
from core.data.number_spelling import not_a_number
from core.data.table import MOST_WORDS, ways
from core.data.table_columns import ColumnRead, holes_in, read_column

MOST_MISSING = 0.5
"""Columns that miss more of their values are left out."""
FEW_ODD = 3
SIGNS = {",": "commas", ".": "points", ";": "semicolons", "\t": "tabs", "|": "bars", " ": "spaces",
         "'": "apostrophes", "\u2019": "apostrophes", "\u00a0": "spaces",
         "\u202f": "spaces"}  # fmt: skip


@dataclass(frozen=True)
class Judged:
    """A column. unfit: why it cannot be learned from, "" if it can. holes: rows that miss a value;
    first: the row of the file where the first is. odd: words that were taken for missing values of
    a column of numbers. forms: the formats that all of its dates fit."""

    column: ColumnRead
    unfit: str = ""
    holes: int = 0
    first: int = 0
    odd: tuple[str, ...] = ()
    forms: tuple[str, ...] = ()

    @property
    def date(self) -> bool:
        return bool(self.column.date)


def judge(read: Cells, name: str, given: CustomSource) -> Judged:
    """What a column holds."""
    column = read_column(read, name, given)
    odd = _odd(read, column)
    if odd:
        column = replace(column, missing=tuple(sorted({*column.missing, *odd})))
    found = _holes(read, column, odd)
    count = int(found.sum())
    first = read.row(int(found.argmax())) if count else 0
    forms = formats_of(_different(read, column)) if column.date else ()
    return Judged(column, _unfit(read, column, count, first), count, first, odd, forms)


def _holes(read: Cells, column: ColumnRead, odd: Sequence[str]) -> Any:
    if odd:
        return read.words(column.place).is_any(column.missing)
    return holes_in(read, column)


def _odd(read: Cells, column: ColumnRead) -> tuple[str, ...]:
    """Words of a column of numbers that come again, so that they stand for a missing value."""
    if column.place in read.numbers or column.words or column.date:
        return ()
    counts = read.words(column.place).counts()
    number = column.spelling.number
    strange = [w for w in counts if w not in column.missing and number(w) is None]
    good = all(counts[w] > 1 and any(map(str.isalpha, w)) for w in strange)
    return tuple(strange) if good and len(strange) <= FEW_ODD else ()


def _different(read: Cells, column: ColumnRead) -> list[str]:
    return [w for w in read.words(column.place).words if w not in column.missing]


def _unfit(read: Cells, column: ColumnRead, holes: int, first: int) -> str:
    """Why a column cannot be learned from as it is, "" if it can."""
    rows = read.count
    if holes > MOST_MISSING * rows:
        return f"has {holes:,} of {rows:,} values missing, the first in row {first}"
    plain = read.numbers.get(column.place)
    if plain is not None and not column.words and not column.date:
        known = plain[~np.isnan(plain)]
        return f"is {known[0]:g} in every row" if (known == known[0]).all() else ""
    words = _different(read, column)
    if len(words) == 1:
        return f"is {words[0][:40]!r} in every row"
    if column.words and (len(words) > MOST_WORDS or len(words) == rows):
        return f"has {len(words):,} different words"
    if not column.words and not column.date:
        return _not_numbers(read, column)
    return ""


def _not_numbers(read: Cells, column: ColumnRead) -> str:
    words = read.words(column.place)
    bad = np.flatnonzero(np.isinf(as_numbers(words, column.spelling, column.missing)))
    if not len(bad):
        return ""
    cell = words.words[words.places[bad[0]]]
    return f"is {cell[:40]!r} in row {read.row(int(bad[0]))}, which is {not_a_number(cell)}"


def decided(
    read: Cells, judged: Sequence[Judged], target: str, spelled: Mapping[str, Any]
) -> dict[str, Any]:
    """The settings that keep what was decided: what is not as in a plain file, and what was set."""
    data: dict[str, Any] = dict(spelled)
    data |= {k: v for k, v in _layout(read).items() if k not in spelled}
    data |= {} if "thousands" in spelled else _thousands(judged)
    fill = {f.column.name: ways(f.column, f.column.name == target)[0] for f in judged if f.holes}
    fill = {**fill, **{c: how for c, how in spelled.get("fill", {}).items() if c in fill}}
    dates = {f.column.name: {"format": f.column.date, "parts": list(f.column.parts)}
             for f in judged if f.date and f.column.name != target}  # fmt: skip
    rest = {k: v for k, v in data.items() if k not in ("fill", "dates")}
    return rest | {k: v for k, v in (("fill", fill), ("dates", dates)) if v}


def _layout(read: Cells) -> dict[str, Any]:
    """Encoding, separator, signs and rows where they are not those of a plain file."""
    found = read.structure
    data: dict[str, Any] = {}
    data |= {"encoding": found.encoding} if found.encoding != UTF8 else {}
    data |= {"separator": found.separator} if found.separator != "," else {}
    data |= {"decimal": ","} if read.decimal == "," else {}
    begins = {"header": found.header, "first": found.first}
    data |= begins if (found.header, found.first) not in ((1, 2), (0, 1)) else {}
    data |= {"header": 0} if not found.header else {}
    return data | ({"footer": found.footer} if found.footer else {})


def _thousands(judged: Sequence[Judged]) -> dict[str, str]:
    signs = {f.column.thousands for f in judged if f.column.thousands}
    return {"thousands": signs.pop()} if len(signs) == 1 else {}


def missing_of(judged: Iterable[Judged]) -> list[str]:
    """Every word that stands for a missing value, in any column; [] where none is an odd one."""
    judged = list(judged)
    if not any(found.odd for found in judged):
        return []
    return sorted({word for found in judged for word in found.column.missing if word})


def said(read: Cells, judged: Sequence[Judged], target: Judged) -> tuple[str, ...]:
    """What was decided that is not plain, a sentence each, with the row that made it."""
    told = [*_said_of_rows(read), *_said_of_signs(read, [*judged, target])]
    told += [text for found in judged for text in _said_of(read, found)]
    if target.holes:
        told.append(f"{target.column.name}: {target.holes:,} {_values(target.holes)} missing, the "
                    f"first in row {target.first}; these rows are skipped.")  # fmt: skip
    return tuple(told)


def _said_of_rows(read: Cells) -> list[str]:
    found, told = read.structure, list[str]()
    if found.encoding != UTF8:
        told.append(f"The file is {title_of(found.encoding)} text.")
    if found.above:
        row, text = found.above[0]
        told.append(f"The table starts in row {found.header or found.first}; row {row} above it is "
                    f"{text[:60]!r}.")  # fmt: skip
    if found.below:
        row, text = found.below[0]
        told.append(f"Row {row}, {text[:60]!r}, is not a sample and is skipped.")
    if not found.header:
        told.append("The first row holds values, so the columns have numbers for names.")
    if found.header and found.first > found.header + 1 and not found.above:
        told.append(f"The values start in row {found.first}.")
    return told


def _said_of_signs(read: Cells, judged: Sequence[Judged]) -> list[str]:
    told: list[str] = []
    if read.decimal == ",":
        told.append("Commas are decimal separators.")
    for found in judged:
        column = found.column
        if column.thousands:
            cells = [c for c in _different(read, column) if column.thousands in c]
            told.append(f"{column.name}: {cells[0]!r} is read as "
                        f"{column.spelling.number(cells[0]):g}.")  # fmt: skip
        elif column.symbol or column.minus:
            cells, number = _different(read, column), column.spelling.number
            cell = min(cells, key=lambda c: (number(c) or 0.0) >= 0) if column.minus else cells[0]
            told.append(f"{column.name}: {cell!r} is read as {column.spelling.number(cell):g}.")
    return told


def _said_of(read: Cells, found: Judged) -> list[str]:
    told: list[str] = []
    column = found.column
    if column.date:
        told.append(f"{column.name} holds dates written as {example(column.date)} (31 December "
                    f"1999), which become {_and(column.parts)}.")  # fmt: skip
        if any(example(form) != example(column.date) for form in found.forms):
            told[-1] += " Day and month could be swapped."
    if found.holes:
        words = [word for word in column.missing if word.lower() not in MISSING]
        odd = f" ({', '.join(map(repr, words))} among them)" if words else ""
        how = {"mean": "they are filled with the mean of the training samples",
               "missing": 'they become a separate category, "missing"'}  # fmt: skip
        told.append(f"{column.name}: {found.holes:,} of {read.count:,} values missing{odd}, the "
                    f"first in row {found.first}; {how.get(ways(column)[0], '')}.")  # fmt: skip
    return told


def _values(count: int) -> str:
    return "value" if count == 1 else "values"


def _and(names: Sequence[str]) -> str:
    *most, last = names
    return f"{', '.join(most)} and {last}" if most else last
