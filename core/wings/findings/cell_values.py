"""Cells that squeeze or distort a column: typos, codes for "missing", codes read as numbers, words
among numbers, columns that say nothing, and parts of the data that differ."""

import re
from collections import Counter
from typing import Any

import numpy as np

from core.data.sources.split_by import IN_TIME
from core.data.table.cell_words import MISSING
from core.data.table.read import MOST_WORDS
from core.samples.number_spelling import NumberSpelling
from core.wings.findings.finding import DataFinding, Mend, named, percent, shown, without_columns
from core.wings.findings.table_view import LEAST_ROWS, Floats, Ints, TableColumn, TableView

FEW_CELLS = 0.01
"""The largest share of cells that are outliers; more are a part of the data."""
WIDE_GAP, HEAVY_GAP = 3.0, 10.0
"""How many times farther from the median an outlier is than all others: where these end by
`LIGHT` deviations, and where they have long tails, such as incomes."""
LIGHT = 6.0
SENTINELS = frozenset(
    [sign * value for value in (99, 999, 9999, 99999, 999999) for sign in (1, -1)]
    + [-9.0, -1.0, -88, -888, -8888, 9999999]
)
"""Numbers that stand for a missing value in many files."""
REPEATED = 2
"""How often one stands in a column at least; a single one is an outlier."""
AWAY = 0.5
"""How far from the others it is at least, as a share of their range: 99 among ages is not."""
POSITIVE = 10
"""How many times as large all others are at least where a negative number stands among positive
ones: -1 among ages, not among grades."""
LED_BY_ZERO = re.compile(r"""(?:^|[,;\t| "'])0\d+\s*(?:$|[,;\t| "'])""")
"""A line of a file in which a cell may be a code such as 01234."""
EMPTY = 0.95
"""The share of missing values from which on a column is nearly empty."""
MANY_ODD = 0.05
"""The share of cells with one word among numbers, from which on the word means something."""
APART = 0.6
"""The largest distance of the shares below a value (Kolmogorov-Smirnov) of parts that a column
decides. Parts drawn at random of 50 rows differ by 0.3."""
LEAST_PART = 20


def find_cells(view: TableView) -> list[DataFinding]:
    """What is odd about single columns."""
    found: list[DataFinding] = []
    target = TableColumn(view.target, "number", view.answers, read=view.target_read)
    for column in (*view.used, *([] if view.classes else [target])):
        found += odd_numbers(column, view)
    found += find_nothing(view)
    codes = [c for c in view.used if c.read and _may_be_code(c)]
    if view.cells and codes and view.cells.any_matches(LED_BY_ZERO):
        # at once: for each column alone the file would be read again
        view.cells.read_words([c.read.place for c in codes if c.read])
        found += [f for column in codes if (f := _code(column, view))]
    found += [f for column in view.used if (f := _odd_words(column, view))]
    return [*found, *_shift(view)]


def odd_numbers(column: TableColumn, view: TableView) -> list[DataFinding]:
    """A code for missing values among the numbers of a column, else cells far outside."""
    if column.kind != "number" or not len(column.known):
        return []
    found = _sentinel(column, view) or _outlier(column, view)
    return [found] if found else []


def _outlier(column: TableColumn, view: TableView) -> DataFinding | None:
    """A few cells far outside all others."""
    values = column.known
    if len(values) < LEAST_ROWS or len(column.levels) < 4:
        return None
    middle = float(np.median(values))
    away = np.sort(np.abs(values - middle))
    deviation = float(np.percentile(np.abs(values - middle), 50)) * 1.4826
    most = max(1, int(FEW_CELLS * len(values)))
    for count in range(most, 0, -1):
        first, rest = away[-count], away[-count - 1]
        light = deviation > 0 and rest <= LIGHT * deviation
        if rest > 0 and first >= (WIDE_GAP if light else HEAVY_GAP) * rest and deviation > 0:
            places = np.flatnonzero(np.abs(column.values - middle) >= first)
            return _of_outlier(column, view, places)
    return None


def _of_outlier(column: TableColumn, view: TableView, places: Ints) -> DataFinding:
    inside = np.delete(column.values, places)
    low, high = np.nanmin(inside), np.nanmax(inside)
    cells = _cells(column, view, places)
    at = view.file_rows(places)
    first = f"{column.name} is {shown(cells[0])} in row {at[0]}"
    more = f" and far outside in {len(places) - 1:,} more" if len(places) > 1 else ""
    sentence = (
        f"{first}{more}; all others are from {low:g} to {high:g}. Scaled to such a value, the rest "
        "of the column is nearly one number."
    )
    return DataFinding(
        "outlier",
        sentence,
        (column.name,),
        at,
        len(places),
        score=len(places) / len(column.values),
        mend=_as_missing(column, view, cells, "drop", _without_rows(view, cells, len(places))),
        doubts="low",
        verdict=f"{column.name} is {shown(cells[0])} in row {at[0]}, far outside all others",
    )


def _without_rows(view: TableView, cells: list[str], count: int) -> str:
    """The title of what mends outliers: a series keeps its rows, so that steps stay even."""
    return f"Read {shown(cells[0])} as missing" if _in_time(view) else f"Leave out {_rows(count)}"


def _in_time(view: TableView) -> bool:
    return view.data.get("source") in IN_TIME


def _rows(count: int) -> str:
    return "this row" if count == 1 else f"these {count:,} rows"


def _cells(column: TableColumn, view: TableView, places: Ints) -> list[str]:
    """The cells as they stand in the file, each once; their numbers where there is no file."""
    if view.cells is None or column.read is None:
        return list(dict.fromkeys(f"{value:g}" for value in column.values[places]))
    words = view.cells.words(column.read.place)
    return list(dict.fromkeys(words.words[words.places[row]] for row in view.kept[places]))


def _as_missing(
    column: TableColumn, view: TableView, cells: list[str], fill: str, title: str
) -> Mend | None:
    """Settings by which some cells are missing values."""
    if view.cells is None or column.read is None or view.note:
        return None
    known: set[str] = set()
    view.cells.read_words(range(len(view.cells.names)))  # at once: else the file is read for each
    for place in range(len(view.cells.names)):
        known |= {*view.cells.missing(place)}
    missing = [*sorted(known - {""}), *(cell for cell in cells if cell not in known)]
    if _in_time(view):  # which is filled by the last known value
        return Mend(title, {**view.data, "missing": missing})
    fills = {**dict(view.data.get("fill", {}))}
    fills.setdefault(column.name, "drop" if column.name == view.target else fill)
    return Mend(title, {**view.data, "missing": missing, "fill": fills})


def _sentinel(column: TableColumn, view: TableView) -> DataFinding | None:
    """A number that stands for a missing value."""
    for value in (column.levels[0], column.levels[-1]):
        if value not in SENTINELS:
            continue
        places = np.flatnonzero(column.values == value)
        rest = column.known[column.known != value]
        if len(places) < REPEATED or len(np.unique(rest)) < 3 or len(places) > len(rest):
            continue
        gap = min(abs(rest.min() - value), abs(rest.max() - value))
        below = value < 0 and rest.min() >= POSITIVE * abs(value)
        if below or (abs(value) > 9 and gap > AWAY * np.ptp(rest)):
            return _of_sentinel(column, view, places, rest)
    return None


def _of_sentinel(column: TableColumn, view: TableView, places: Ints, rest: Floats) -> DataFinding:
    cells = _cells(column, view, places)
    sentence = (
        f"{column.name} is {shown(cells[0])} in {len(places):,} rows, and from {rest.min():g} to "
        f"{rest.max():g} in all others: it probably stands for a missing value, and is learned "
        "as a number."
    )
    return DataFinding(
        "sentinel",
        sentence,
        (column.name,),
        view.file_rows(places),
        len(places),
        score=len(places) / len(column.values),
        mend=_as_missing(column, view, cells, "mean", f"Read {shown(cells[0])} as missing"),
        doubts="low",
        verdict=f"{column.name} is {shown(cells[0])} in {len(places):,} rows, far outside the rest",
    )


def find_nothing(view: TableView) -> list[DataFinding]:
    """Columns with one value, or hardly any."""
    constant = [c for c in view.used if len(c.levels) == 1 and len(c.known) == len(c.values)]
    empty = [c for c in view.used if len(c.known) < (1 - EMPTY) * len(c.values)]
    found: list[DataFinding] = []
    if constant and len(view.answers) >= LEAST_ROWS and view.can_drop:
        has = "has" if len(constant) == 1 else "have"
        names = tuple(c.name for c in constant)
        sentence = f"{named(names)} {has} the same value in every row and cannot help."
        found.append(_without("constant", sentence, names, view))
    if empty:
        names = tuple(c.name for c in empty)
        least = max(1 - len(c.known) / len(c.values) for c in empty)
        sentence = f"{named(names)}: {percent(least)} of the values are missing."
        found.append(_without("empty", sentence, names, view))
    return found


def _without(kind: str, sentence: str, names: tuple[str, ...], view: TableView) -> DataFinding:
    data = without_columns(view.data, names, view.inputs)
    mend = Mend(f"Leave out {named(names)}", data) if data and view.can_drop else None
    return DataFinding(kind, sentence, names, count=len(names), mend=mend)


def _may_be_code(column: TableColumn) -> bool:
    return column.kind == "number" and column.whole


def _code(column: TableColumn, view: TableView) -> DataFinding | None:
    """Digits with a zero in front, such as postal codes, that are read as numbers."""
    assert view.cells is not None
    assert column.read is not None
    words = view.cells.words(column.read.place).words
    led = [word for word in words if len(word) > 1 and word[0] == "0" and word.isdecimal()]
    if not led:
        return None
    few = len(column.levels) <= MOST_WORDS
    classes = [*view.data.get("categories", ()), column.name]
    data = (
        {**view.data, "categories": classes}
        if few
        else without_columns(view.data, [column.name], view.inputs)
    )
    title = f"Read {column.name} as categories" if few else f"Leave out {column.name}"
    sentence = (
        f"{column.name} holds codes such as {shown(led[0])}, read as the number {float(led[0]):g}: "
        "the size of a code means nothing."
    )
    return DataFinding("code", sentence, (column.name,), mend=Mend(title, data) if data else None)


def _odd_words(column: TableColumn, view: TableView) -> DataFinding | None:
    """A word among numbers that is read as a missing value, though it means something."""
    if view.cells is None or column.read is None or column.kind != "number":
        return None
    odd = [w for w in column.read.missing if w and w.lower() not in MISSING]
    odd = [w for w in odd if NumberSpelling().number(w) is None]
    if not odd:
        return None  # before its words are read, for which the file is read again
    words = view.cells.words(column.read.place)
    counts = words.counts()
    odd = [w for w in odd if w in counts]
    total = len(words.places)
    word = max(odd, key=lambda w: counts[w], default="")
    few = len(column.levels) + len(odd) <= MOST_WORDS
    if not word or counts[word] < MANY_ODD * total or not few:
        return None
    place = words.words.index(word)
    rows = np.flatnonzero(words.places[view.kept] == place)
    left = [w for w in view.data.get("missing", ()) if w != word]
    data: dict[str, Any] = {**view.data, "missing": left}
    data["categories"] = [*view.data.get("categories", ()), column.name]
    data["fill"] = {k: v for k, v in dict(view.data.get("fill", {})).items() if k != column.name}
    data = {k: v for k, v in data.items() if v or k not in ("missing", "fill")}
    sentence = (
        f"{column.name} is '{shown(word)}' in {counts[word]:,} of {total:,} rows, which are read "
        "as missing values: read as categories the word stays."
    )
    mend = Mend(f"Read {column.name} as categories", data)
    at = view.file_rows(rows)
    return DataFinding("words", sentence, (column.name,), at, counts[word], mend=mend)


def _shift(view: TableView) -> list[DataFinding]:
    """Inputs whose values differ between the parts, where more than chance decides these."""
    parts = view.train, view.validation
    if view.mode in ("random", "time") or min(map(len, parts)) < LEAST_PART:
        return []
    apart: Counter[str] = Counter()
    for column in view.used:
        if column.kind == "number":
            first, second = (np.sort(filled_of(column.values[part])) for part in parts)
            every = np.unique(np.concatenate([first, second]))
            shares = [np.searchsorted(p, every, "right") / max(len(p), 1) for p in (first, second)]
            apart[column.name] = int(1000 * np.abs(shares[0] - shares[1]).max())
    far = [name for name, distance in apart.most_common() if distance >= 1000 * APART]
    if not far:
        return []
    sentence = (
        f"{named(far)}: the values of validation rows differ from those of training rows, so what "
        "was learned may not hold there."
    )
    return [DataFinding("shift", sentence, tuple(far), score=apart[far[0]] / 1000)]


def filled_of(values: Floats) -> Floats:
    """The values that are there."""
    return values[~np.isnan(values)]
