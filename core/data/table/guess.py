"""Guess settings for the user's own data: the target of a table or of arrays, and unused columns.

A guess is settings of a project's `data`, which the user may change, and reasons for unused
columns.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.data.sources.custom_source import read_custom_source
from core.data.sources.label_settings import KEYS as LABEL_KEYS
from core.data.sources.paths import locate
from core.data.sources.table_settings import KEYS as SPELLED
from core.data.sources.table_settings import TableSettings, read_table_settings
from core.data.table.arrays import list_arrays
from core.data.table.cells import Cells, read_cells
from core.data.table.column_check import (
    ColumnCheck,
    check_column,
    found_settings,
    notes_on_table,
    odd_missing_words,
    without_empty,
)
from core.data.table.columns import read_column
from core.data.table.guess_labels import guess_labels
from core.data.table.open_steps import has_open_steps

TARGETS = ("target", "label", "labels", "class", "classes", "y", "targets", "outcome", "answer")
"""Usual names of target columns and arrays, best first."""
TRAINED = ("y_train", "train_labels", "train_y", "ytrain")
IDS = frozenset(("id", "ids", "index", "idx", "no", "nr", "row", "rownum", "uuid", "unnamed: 0"))
FEW, FEW_IF_NAMED, ROWS_EACH = 10, 50, 5
MIXED = 20
"""The least number of rows from which 1 to N in any order counts as row numbers."""
Data = Mapping[str, Any]


@dataclass(frozen=True)
class Guess:
    """Settings of `data`; columns or arrays that they leave out, each with its reason; and notes on
    how the file was read, with row numbers."""

    data: dict[str, Any]
    left_out: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def guess_table(path: Path, name: str, target: str = "", given: Data | None = None) -> Guess:
    """Guess how a CSV or TSV is meant. target: a column that the user chose.

    given: how the file is read, where somebody decided that. Raises DataError for what is not a
    table.
    """
    spelled = {k: v for k, v in (given or {}).items() if k in SPELLED}
    source = read_custom_source({"source": "CSV", "file": name, **spelled})
    assert source is not None
    read = read_cells(path, name, source.table)
    steps = [c for c in read.names if has_open_steps(read, read_column(read, c, source))]
    source = replace(source, categories=tuple(steps))
    checks = {column: check_column(read, column, source) for column in read.names}
    if "missing" not in spelled and (words := odd_missing_words(checks.values())):
        return guess_table(path, name, target, {**(given or {}), "missing": words})
    reasons = {column: check.problem for column, check in checks.items()}
    ids = {c for index, c in enumerate(read.names) if not reasons[c] and is_id(read, index)}
    dates = {c for c, check in checks.items() if check.date}
    unfit = {c for c, why in reasons.items() if why} | ids | dates
    targets, told = _told(read, checks, target, unfit, given or {})
    rest = [column for column in read.names if column not in targets]
    chosen = [c for c in rest if not reasons[c] and c not in ids]
    if not chosen:  # a row's number is better than nothing to learn from
        chosen, ids = [c for c in rest if not reasons[c]], set()
    data: dict[str, Any] = {"source": "CSV", "file": name, **told}
    data |= {"columns": chosen} if chosen and chosen != rest else {}
    classes = [c for c in steps if c in chosen or c in targets]
    classes += [] if {*LABEL_KEYS} & {*told} else _classes(read, targets[0], checks)
    data |= {"categories": classes} if classes else {}
    if "label_separator" in told:  # an empty cell has none of the labels
        checks[targets[0]] = without_empty(read, checks[targets[0]])
    used = [checks[c] for c in (*chosen, *targets)]
    data |= found_settings(read, used, targets, spelled)
    unused = {c: reasons[c] or "numbers the rows" for c in rest if reasons[c] or c in ids}
    left_out = tuple(f"{column} {why}" for column, why in unused.items()) if chosen else ()
    notes = notes_on_table(read, [checks[c] for c in chosen], [checks[c] for c in targets])
    return Guess(data, left_out, notes)


def _told(
    read: Cells, checks: Mapping[str, ColumnCheck], target: str, unfit: Iterable[str], given: Data
) -> tuple[list[str], dict[str, Any]]:
    """The target columns, and what settings say of them: those that a project has, or what a table
    without a chosen target is like."""
    told = {key: given[key] for key in LABEL_KEYS if key in given}
    if not {*told.get("target_columns", ())} <= {*read.names}:
        told = {}
    if not told and not target:
        columns = {name: check.column for name, check in checks.items()}
        told = guess_labels(read, columns, _named(read.names, TARGETS))
    target = str(told.pop("target_column", "") or target or _target(read.names, unfit))
    targets = list(told.get("target_columns", [target]))
    usual = targets == [read.names[-1]] or "target_columns" in told
    return targets, ({} if usual else {"target_column": target}) | told


def with_other_target(
    path: Path, data: Mapping[str, Any], target: str, labels: Data | None = None
) -> dict[str, Any]:
    """Settings of a table for another target: whether it is a class is guessed again.

    labels: settings of several labels in its place; None for one target.

    What to learn from follows where it is as guessed before; columns and classes that a student
    chose stay. Raises DataError for a file that is not a table.
    """
    name = data["file"]
    last = read_cells(path, name, _settings(data)).names[-1]
    read = {key: value for key, value in data.items() if key not in LABEL_KEYS}
    before = guess_table(path, name, data.get("target_column") or last, data).data
    after = guess_table(path, name, target, {**read, **(labels or {})}).data
    targets = after.get("target_columns", [target])
    chosen = data.get("columns", ()) != before.get("columns", ())
    columns = (
        [c for c in data.get("columns", ()) if c not in targets] if chosen else after.get("columns")
    )
    marked = [c for c in data.get("categories", ()) if c not in before.get("categories", ())]
    classes = list(dict.fromkeys([*marked, *after.get("categories", ())]))
    replaced = ("target_column", *LABEL_KEYS, "columns", "categories", "fill", "dates")
    rest = {n: v for n, v in data.items() if n not in replaced}
    choices = {
        **{key: after.get(key) for key in ("target_column", *LABEL_KEYS)},
        "columns": columns,
        "categories": classes,
    }
    for key in ("fill", "dates"):
        kept = {c: v for c, v in data.get(key, {}).items() if c not in targets and v != "drop"}
        choices[key] = {**after.get(key, {}), **kept}
    return {**rest, **{name: value for name, value in choices.items() if value}}


def _settings(data: Mapping[str, Any]) -> TableSettings:
    return read_table_settings({k: v for k, v in data.items() if k in SPELLED})


def guess_arrays(path: Path, name: str) -> Guess:
    """Guess which two arrays of an NPZ are samples and answers. Raises DataError for no NPZ."""
    read_custom_source({"source": "NPZ", "file": name})
    arrays = {array: shape for array, (shape, _) in list_arrays(path, name).items()}
    flat = [array for array, shape in arrays.items() if len(shape) == 1]
    whole = [array for array, shape in arrays.items() if len(shape) > 1]
    data: dict[str, Any] = {"source": "NPZ", "file": name}
    target = _named(flat, (*TRAINED, *TARGETS)) or next(
        (a for a in reversed(flat) if any(arrays[a][0] == arrays[w][0] for w in whole)), ""
    )
    samples = next((w for w in whole if target and arrays[w][0] == arrays[target][0]), "")
    if not samples:
        return Guess(data)  # reading it reports what is missing
    names = list(arrays)
    data |= {"target_column": target} if target != names[-1] else {}
    rest = [array for array in names if array != target]
    data |= {"columns": [samples]} if samples != rest[0] else {}
    return Guess(data, tuple(f"array {a}" for a in rest if a != samples))


def _target(names: Sequence[str], unfit: Iterable[str]) -> str:
    """The column named like a target, else the last one that can be one."""
    good = [name for name in names if name not in set(unfit)]
    return _named(good, TARGETS) or _named(names, TARGETS) or (good or names)[-1]


def _named(names: Sequence[str], candidates: Sequence[str]) -> str:
    lower = {name.lower(): name for name in reversed(names)}
    return next((lower[name] for name in candidates if name in lower), "")


def row_numbers(data: Data) -> tuple[str, ...]:
    """Columns with row numbers that are inputs only because a project lists no input columns.

    () where a project lists its input columns. Raises DataError.
    """
    given = read_custom_source(data)
    if given is None or given.kind != "CSV" or given.columns:
        return ()
    read = read_cells(locate(given.path, given.key), given.path, given.table)
    targets = given.targets(read.names)
    inputs = [place for place, column in enumerate(read.names) if column not in targets]
    found = tuple(read.names[place] for place in inputs if is_id(read, place))
    return found if len(found) < len(inputs) else ()


def is_id(read: Cells, place: int) -> bool:
    """Whether a column identifies rows: it counts them, or has such a name and no value twice."""
    values = read.numbers.get(place)
    if values is None or not (values == np.floor(values)).all():
        return False
    different = len(np.unique(values))
    if different < len(values) or different < 2:
        return False
    if _counts(values):
        return True
    name = read.names[place]
    return (
        name.lower() in IDS
        or name.lower().endswith(("_id", " id"))
        or name.endswith(("Id", "ID"))
        or (place == 0 and name == "column_1" and read.header)
    )


def _counts(values: NDArray[np.float64]) -> bool:
    """Whether whole numbers count the rows: 1, 2, 3, ... up or down, or all of them mixed.

    Years count one by one, too, and are kept.
    """
    low, high = values.min(), values.max()
    if high - low != len(values) - 1:
        return False
    if low >= 1500 and high <= 2200:
        return False
    ordered = bool((np.diff(values) == 1).all() or (np.diff(values) == -1).all())
    return ordered or (low in (0, 1) and len(values) >= MIXED)


def _classes(read: Cells, target: str, checks: Mapping[str, ColumnCheck]) -> list[str]:
    """The target where its numbers are classes: whole, few, and each of them frequent."""
    values = read.numbers.get(read.names.index(target))
    if values is None or checks[target].problem:
        return []
    values = values[~np.isnan(values)]
    found = np.unique(values)
    most = FEW_IF_NAMED if target.lower() in ("label", "labels", "class", "classes") else FEW
    often = len(found) == 2 or ROWS_EACH * len(found) <= len(values)
    classes = 2 <= len(found) <= most and often and (found == np.floor(found)).all()
    return [target] if classes else []
