"""The cells of a CSV or TSV file in columns: numbers as numbers, words as places among them.

pandas reads them; where a column is not numbers all through it is read again as words, each of
which is kept once. Memory holds 8 bytes for each number and 4 for each word.
"""

import re
import warnings
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from core.common.errors import DataError
from core.data.sources.bounds import check_table
from core.data.sources.table_settings import TableSettings
from core.data.table.cell_words import MISSING, missing_words
from core.data.table.structure import Structure, open_table, rows_of, structure_of
from core.samples.number_spelling import LARGEST_NUMBER, NumberSpelling, Reading, spell

EXACT: dict[str, Any] = (
    {} if int(pd.__version__.split(".")[0]) > 2 else {"float_precision": "round_trip"}
)
"""What makes pandas read a number to the nearest double, as Python does."""
_HOLES = sorted({w for word in MISSING for w in (word, word.upper(), word.title(), "NaN")})


@dataclass(frozen=True)
class Words:
    """A column as it stands in the file. words: the different cells; places: which each row has."""

    words: tuple[str, ...]
    places: NDArray[np.int32]

    def counts(self) -> dict[str, int]:
        """How often each different cell comes."""
        found = np.bincount(self.places, minlength=len(self.words))
        return dict(zip(self.words, found.tolist(), strict=True))

    def is_any(self, chosen: Collection[str]) -> NDArray[np.bool_]:
        """Which rows have one of these cells."""
        return np.isin(self.places, [i for i, w in enumerate(self.words) if w in chosen])


@dataclass
class Cells:
    """A file as read. decimal: the sign of the file where its cells tell it, or "".

    Columns go by their places. `numbers` has those that are numbers with that sign all through,
    NaN where a value is missing; other columns are words until they are understood.
    """

    path: Path
    name: str
    structure: Structure
    given: TableSettings
    decimal: str = ""
    numbers: dict[int, NDArray[np.float64]] = field(default_factory=dict)
    _words: dict[int, Words] = field(default_factory=dict)
    _readings: dict[int, Reading] = field(default_factory=dict)

    @property
    def names(self) -> tuple[str, ...]:
        return self.structure.names

    @property
    def delimiter(self) -> str:
        return self.structure.separator

    @property
    def header(self) -> bool:
        return self.structure.header > 0

    @property
    def count(self) -> int:
        """How many rows of values there are."""
        return len(self.structure.rows)

    def row(self, index: int) -> int:
        """The row of the file that a row of values is."""
        return self.structure.rows[index]

    def words(self, place: int) -> Words:
        """A column as it stands in the file."""
        self.read_words([place])
        return self._words[place]

    def read_words(self, places: Sequence[int]) -> None:
        """Read several columns at once; for each one by itself the file is read again."""
        self._words |= _read_words(self, [p for p in places if p not in self._words])

    def any_matches(self, pattern: re.Pattern[str]) -> bool:
        """Whether a line of the file matches: ten times quicker than reading all cells."""
        with open_table(self.path, self.structure.encoding) as file:
            return any(map(pattern.search, file))

    def missing(self, place: int) -> frozenset[str]:
        """The different cells of a column that stand for a missing value."""
        return missing_words(self.words(place).words, self.given.missing)

    def reading(self, place: int) -> Reading:
        """How the cells of a column are numbers, where they are."""
        if place not in self._readings:
            self._readings[place] = self._spelled(place, self.decimal)
        return self._readings[place]

    def _spelled(self, place: int, decimal: str) -> Reading:
        words, gone = self.words(place), self.missing(place)
        cells = {word: n for word, n in words.counts().items() if word not in gone}
        # who separates by semicolons mostly does so as commas are in the numbers
        ambiguous = "," if self.delimiter == ";" and any("," in c for c in cells) else "."
        return spell(cells, decimal, self.given.thousands, ambiguous)

    def judge_decimal(self) -> None:
        """Find the file's decimal sign in the columns that are not plain numbers."""
        self.decimal = self.given.decimal
        others = [p for p in range(len(self.names)) if p not in self.numbers]
        if self.decimal or not others:
            return
        self.read_words(others)
        signs = [self._sure(place) for place in others]
        if "," in signs:
            plain = [p for p in self.numbers if _has_fraction(self.numbers[p])]
            self.read_words(plain)
            signs += [self._sure(place) for place in plain]
            self.decimal = "," if signs.count(",") >= signs.count(".") else "."
        elif "." in signs:
            self.decimal = "."

    def _sure(self, place: int) -> str:
        found = self._spelled(place, "")
        return found.spelling.decimal if found.sure and found.share > 0.5 else ""


def read_cells(path: Path, name: str, given: TableSettings | None = None) -> Cells:
    """Read a file. Raises DataError naming the row."""
    given = given or TableSettings()
    check_table(path, name)
    cells = Cells(path, name, structure_of(path, name, given), given)
    cells.numbers = _read_numbers(cells, ".")
    cells.judge_decimal()
    if cells.decimal == "," or given.thousands:
        cells.numbers = _read_numbers(cells, cells.decimal or ".")
    return cells


def _frame(cells: Cells, usecols: Sequence[int], **more: Any) -> pd.DataFrame:
    """The rows of values as pandas reads them. Raises DataError."""
    structure = cells.structure
    last = structure.rows[-1] - structure.first + 1
    options: dict[str, Any] = {"names": list(range(len(structure.names))), "usecols": list(usecols)}
    with open_table(cells.path, structure.encoding) as file, warnings.catch_warnings():
        warnings.simplefilter("ignore", pd.errors.ParserWarning)
        before = rows_of(iter(file.readline, ""), structure.separator)
        for _ in range(structure.first - 1):
            next(before)
        try:
            frame = pd.read_csv(
                file,
                sep=structure.separator,
                header=None,
                index_col=False,
                keep_default_na=False,
                skipinitialspace=True,
                skip_blank_lines=False,
                nrows=last,
                **options,
                **more,
                **EXACT,
            )
        except (ValueError, OverflowError) as error:
            why = str(error).splitlines()[0]
            message = f"{cells.name} is not a table: {why}"
            raise DataError(message, "Save it as CSV again.") from error
    kept = np.frombuffer(structure.rows, dtype=np.dtype(structure.rows.typecode)) - structure.first
    return frame if len(kept) == len(frame) else frame.iloc[kept]


def _read_numbers(cells: Cells, decimal: str) -> dict[int, NDArray[np.float64]]:
    """Columns whose cells are numbers with that sign, or missing, all through."""
    gone = _HOLES if cells.given.missing is None else [*cells.given.missing, ""]
    frame = _frame(cells, range(len(cells.names)), decimal=decimal, na_values=gone)
    found: dict[int, NDArray[np.float64]] = {}
    for place, (_, column) in enumerate(frame.items()):
        if column.dtype.kind in "iuf":
            values = column.to_numpy(np.float64)
            if not (np.abs(values) > LARGEST_NUMBER).any() and not np.isnan(values).all():
                found[place] = values
    return found


def _has_fraction(values: NDArray[np.float64]) -> bool:
    known = values[~np.isnan(values)]
    return bool((known != np.floor(known)).any())


def _read_words(cells: Cells, places: Sequence[int]) -> Mapping[int, Words]:
    """Columns as they stand in the file, without spaces around the cells."""
    if not places:
        return {}
    frame = _frame(cells, places, dtype=str, na_filter=False)
    found: dict[int, Words] = {}
    for place, column in zip(sorted(places), (column for _, column in frame.items()), strict=True):
        codes, raw = pd.factorize(column, sort=True)
        stripped = [word.strip() for word in raw.tolist()]
        words = tuple(dict.fromkeys(stripped))
        at = {word: i for i, word in enumerate(words)}
        new = np.array([at[word] for word in stripped], np.int32)
        found[place] = Words(words, new[codes])
    return found


def as_numbers(
    words: Words, spelling: NumberSpelling, missing: Collection[str]
) -> NDArray[np.float64]:
    """The numbers of a column; NaN for missing ones, and infinity for cells that are none."""
    values = np.full(len(words.words), np.inf)
    for i, word in enumerate(words.words):
        if word in missing:
            values[i] = np.nan
        elif (number := spelling.number(word)) is not None:
            values[i] = number
    return values[words.places]
