"""Check of the columns of a table: their kind, missing values, and problems for training.

The results become settings of `data`, and sentences that name a row.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from core.data.sources.custom_source import CustomSource
from core.data.table.cell_words import MISSING
from core.data.table.cells import Cells, as_numbers
from core.data.table.columns import ColumnRead, missing_mask, read_column
from core.data.table.dates import differing, example, formats_of
from core.data.table.encoding import UTF8, title_of
from core.data.table.read import MOST_WORDS, fill_choices
from core.samples.number_spelling import not_a_number

MOST_MISSING = 0.5
"""The largest share of missing values of a column that is used."""
FEW_ODD = 3
SIGNS = {
    ",": "commas",
    ".": "points",
    ";": "semicolons",
    "\t": "tabs",
    "|": "bars",
    " ": "spaces",
    "'": "apostrophes",
    "\u2019": "apostrophes",
    "\u00a0": "spaces",
    "\u202f": "spaces",
    "\u2009": "spaces",
}


@dataclass(frozen=True)
class ColumnCheck:
    """The check of one column. problem: why it cannot be an input, "" if it can. missing_count:
    rows without a value; first_missing_row: the first of them, as a row of the file. odd_words:
    words that were read as missing values in a column of numbers. date_formats: formats of all
    dates."""

    column: ColumnRead
    problem: str = ""
    missing_count: int = 0
    first_missing_row: int = 0
    odd_words: tuple[str, ...] = ()
    date_formats: tuple[str, ...] = ()

    @property
    def date(self) -> bool:
        return bool(self.column.date)


def check_column(read: Cells, name: str, given: CustomSource) -> ColumnCheck:
    """Check one column."""
    column = read_column(read, name, given)
    odd = _odd(read, column)
    if odd:
        column = replace(column, missing=tuple(sorted({*column.missing, *odd})))
    found = _missing(read, column, odd)
    count = int(found.sum())
    first = read.row(int(found.argmax())) if count else 0
    forms = formats_of(_different(read, column)) if column.date else ()
    forms = forms[:1] if "{" in column.date else forms  # languages that share these months
    return ColumnCheck(column, _problem(read, column, count, first), count, first, odd, forms)


def without_empty(read: Cells, check: ColumnCheck) -> ColumnCheck:
    """The check of a column whose empty cells say something: that a row has no label."""
    column = replace(check.column, missing=tuple(word for word in check.column.missing if word))
    found = read.words(column.place).is_any(column.missing)
    count, first = int(found.sum()), read.row(int(found.argmax())) if found.any() else 0
    return replace(check, column=column, missing_count=count, first_missing_row=first)


def _missing(read: Cells, column: ColumnRead, odd: Sequence[str]) -> Any:
    if odd:
        return read.words(column.place).is_any(column.missing)
    return missing_mask(read, column)


def _odd(read: Cells, column: ColumnRead) -> tuple[str, ...]:
    """Repeated words in a column of numbers, which must stand for a missing value."""
    if column.place in read.numbers or column.words or column.date:
        return ()
    counts = read.words(column.place).counts()
    number = column.spelling.number
    strange = [w for w in counts if w not in column.missing and number(w) is None]
    good = all(counts[w] > 1 and any(map(str.isalpha, w)) for w in strange)
    return tuple(strange) if good and len(strange) <= FEW_ODD else ()


def _different(read: Cells, column: ColumnRead) -> list[str]:
    return [w for w in read.words(column.place).words if w not in column.missing]


def _problem(read: Cells, column: ColumnRead, holes: int, first: int) -> str:
    """Why a column cannot be an input as it is, "" if it can."""
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
    if column.words and (two := differing(words)):
        places = [f"{word!r} in row {_first_row(read, column, word)}" for word in two]
        return f"has dates written in different ways: {' and '.join(places)}"
    if column.words and (len(words) > MOST_WORDS or len(words) == rows):
        return f"has {len(words):,} different words"
    if not column.words and not column.date:
        return _not_numbers(read, column)
    return ""


def _first_row(read: Cells, column: ColumnRead, word: str) -> int:
    words = read.words(column.place)
    return read.row(int((words.places == words.words.index(word)).argmax()))


def _not_numbers(read: Cells, column: ColumnRead) -> str:
    words = read.words(column.place)
    bad = np.flatnonzero(np.isinf(as_numbers(words, column.spelling, column.missing)))
    if not len(bad):
        return ""
    cell = words.words[words.places[bad[0]]]
    return f"is {cell[:40]!r} in row {read.row(int(bad[0]))}, which is {not_a_number(cell)}"


def found_settings(
    read: Cells, checks: Sequence[ColumnCheck], targets: Sequence[str], spelled: Mapping[str, Any]
) -> dict[str, Any]:
    """Settings of `data` for this table: those of `spelled`, and what differs from a plain file."""
    data: dict[str, Any] = dict(spelled)
    data |= {k: v for k, v in _layout(read).items() if k not in spelled}
    data |= {} if "thousands" in spelled else _thousands(checks)
    fill = {
        f.column.name: fill_choices(f.column, f.column.name in targets)[0]
        for f in checks
        if f.missing_count
    }
    fill = {**fill, **{c: how for c, how in spelled.get("fill", {}).items() if c in fill}}
    dates = {
        f.column.name: {"format": f.column.date, "parts": list(f.column.parts)}
        for f in checks
        if f.date and f.column.name not in targets
    }
    rest = {k: v for k, v in data.items() if k not in ("fill", "dates")}
    return rest | {k: v for k, v in (("fill", fill), ("dates", dates)) if v}


def _layout(read: Cells) -> dict[str, Any]:
    """Encoding, separator, signs and rows, if they differ from those of a plain file."""
    found = read.structure
    data: dict[str, Any] = {}
    data |= {"encoding": found.encoding} if found.encoding != UTF8 else {}
    data |= {"separator": found.separator} if found.separator != "," else {}
    data |= {"decimal": ","} if read.decimal == "," else {}
    begins = {"header": found.header, "first": found.first}
    data |= begins if (found.header, found.first) not in ((1, 2), (0, 1)) else {}
    data |= {"header": 0} if not found.header else {}
    return data | ({"footer": found.footer} if found.footer else {})


def _thousands(checks: Sequence[ColumnCheck]) -> dict[str, str]:
    signs = {f.column.thousands for f in checks if f.column.thousands}
    return {"thousands": signs.pop()} if len(signs) == 1 else {}


def odd_missing_words(checks: Iterable[ColumnCheck]) -> list[str]:
    """All words for a missing value, in any column; [] if all of them are usual ones."""
    checks = list(checks)
    if not any(found.odd_words for found in checks):
        return []
    return sorted({word for found in checks for word in found.column.missing if word})


def notes_on_table(
    read: Cells, checks: Sequence[ColumnCheck], targets: Sequence[ColumnCheck]
) -> tuple[str, ...]:
    """Sentences on everything that differs from a plain file, each with its row."""
    notes = [*_notes_on_rows(read), *_notes_on_signs(read, [*checks, *targets])]
    notes += [text for found in checks for text in _notes_on_column(read, found)]
    notes += [text for found in (*checks, *targets) for text in _notes_on_case(read, found)]
    return (*notes, *(text for target in targets for text in _notes_on_target(target)))


def _notes_on_target(target: ColumnCheck) -> list[str]:
    count = target.missing_count
    if not count:
        return []
    return [
        f"{target.column.name}: {count:,} {_values(count)} missing, the first in row "
        f"{target.first_missing_row}; these rows are skipped."
    ]


def _notes_on_rows(read: Cells) -> list[str]:
    found, notes = read.structure, list[str]()
    if found.encoding != UTF8:
        notes.append(f"The file is {title_of(found.encoding)} text.")
    if found.above:
        row, text = found.above[0]
        begin = found.header or found.first
        notes.append(f"The table starts in row {begin}; row {row} above it is {text[:60]!r}.")
    if found.below:
        row, text = found.below[0]
        notes.append(f"Row {row}, {text[:60]!r}, is not a sample and is skipped.")
    if not found.header:
        notes.append("The first row holds values, so the columns have numbers for names.")
    if found.header and found.first > found.header + 1 and not found.above:
        notes.append(f"The values start in row {found.first}.")
    return notes


def _notes_on_signs(read: Cells, checks: Sequence[ColumnCheck]) -> list[str]:
    notes: list[str] = []
    if read.decimal == ",":
        notes.append("Commas are decimal separators.")
    for found in checks:
        column = found.column
        if column.thousands:
            cells = [c for c in _different(read, column) if column.thousands in c]
            notes.append(
                f"{column.name}: {cells[0]!r} is read as {column.spelling.number(cells[0]):g}."
            )
        elif column.symbol or column.minus:
            cells, number = _different(read, column), column.spelling.number
            cell = min(cells, key=lambda c: (number(c) or 0.0) >= 0) if column.minus else cells[0]
            notes.append(f"{column.name}: {cell!r} is read as {column.spelling.number(cell):g}.")
    return notes


def _notes_on_column(read: Cells, check: ColumnCheck) -> list[str]:
    notes: list[str] = []
    column = check.column
    if column.date:
        notes.append(
            f"{column.name} holds dates written as {example(column.date)} (31 December "
            f"1999), which become {_and(column.parts)}."
        )
        if any(example(form) != example(column.date) for form in check.date_formats):
            notes[-1] += " Day and month could be swapped."
    if check.missing_count:
        words = [word for word in column.missing if word.lower() not in MISSING]
        odd = f" ({', '.join(map(repr, words))} among them)" if words else ""
        how = {
            "mean": "they are filled with the mean of the training samples",
            "missing": 'they become a separate category, "missing"',
        }
        notes.append(
            f"{column.name}: {check.missing_count:,} of {read.count:,} values missing{odd}, the "
            f"first in row {check.first_missing_row}; {how.get(fill_choices(column)[0], '')}."
        )
    return notes


def _notes_on_case(read: Cells, found: ColumnCheck) -> list[str]:
    """A sentence on categories that are the same but for upper and lower case."""
    if not found.column.words:
        return []
    alike: dict[str, list[str]] = {}
    for word in _different(read, found.column):
        alike.setdefault(word.casefold(), []).append(word)
    first = next((sorted(words) for words in alike.values() if len(words) > 1), [])
    if not first:
        return []
    return [
        f"{found.column.name}: {_and(tuple(map(repr, first)))} are different categories, as upper "
        "and lower case differ."
    ]


def _values(count: int) -> str:
    return "value" if count == 1 else "values"


def _and(names: Sequence[str]) -> str:
    *most, last = names
    return f"{', '.join(most)} and {last}" if most else last
