"""What own data most likely means: the target of a table or of arrays, and what to leave out.

A guess is settings of a project's `data`, which the user may change, and why columns are left out.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core.data.arrays import list_arrays
from core.data.cells import MISSING, Cells, read_cells, to_number
from core.data.table import MOST_WORDS, read_column
from core.errors import DataError

TARGETS = ("target", "label", "labels", "class", "classes", "y", "targets", "outcome", "answer")
"""Names of columns and arrays that say of themselves that they are the target, best first."""
TRAINED = ("y_train", "train_labels", "train_y", "ytrain")
IDS = frozenset(("id", "ids", "index", "idx", "no", "nr", "row", "rownum", "uuid", "unnamed: 0"))
FEW, FEW_IF_NAMED, ROWS_EACH = 10, 50, 5


@dataclass(frozen=True)
class Guess:
    """Settings of `data`; and what of the file they leave out, each with its reason."""

    data: dict[str, Any]
    left_out: tuple[str, ...] = ()


def guess_table(path: Path, name: str, target: str = "") -> Guess:
    """Guess how a CSV or TSV is meant. target: a column that the user chose.

    Raises DataError for what is no table.
    """
    read = read_cells(path, name)
    reasons = {column: _unfit(read, place) for place, column in enumerate(read.names)}
    ids = {c for place, c in enumerate(read.names) if not reasons[c] and _is_id(read, place)}
    target = target or _target(read.names, {c for c, why in reasons.items() if why} | ids)
    rest = [column for column in read.names if column != target]
    chosen = [c for c in rest if not reasons[c] and c not in ids]
    if not chosen:  # a row's number is better than nothing to learn from
        chosen, ids = [c for c in rest if not reasons[c]], set()
    data: dict[str, Any] = {"source": "CSV", "file": name}
    data |= {"target_column": target} if target != read.names[-1] else {}
    data |= {"columns": chosen} if chosen and chosen != rest else {}
    data |= {"categories": [target]} if _are_classes(read, target) else {}
    unused = {c: reasons[c] or "numbers the rows" for c in rest if reasons[c] or c in ids}
    return Guess(data, tuple(f"{column} {why}" for column, why in unused.items()) if chosen else ())


def with_other_target(path: Path, data: Mapping[str, Any], target: str) -> dict[str, Any]:
    """Settings of a table for another target: whether that tells a class is guessed anew.

    What to learn from follows where it is as guessed before; columns and classes that a student
    chose stay. Raises DataError for what is no table.
    """
    name = data["file"]
    last = read_cells(path, name).names[-1]
    before = guess_table(path, name, data.get("target_column") or last).data
    after = guess_table(path, name, target).data
    chosen = data.get("columns", ()) != before.get("columns", ())
    columns = (
        [c for c in data.get("columns", ()) if c != target] if chosen else after.get("columns")
    )
    marked = [c for c in data.get("categories", ()) if c not in before.get("categories", ())]
    classes = list(dict.fromkeys([*marked, *after.get("categories", ())]))
    rest = {n: v for n, v in data.items() if n not in ("target_column", "columns", "categories")}
    found = {"target_column": after.get("target_column"), "columns": columns, "categories": classes}
    return {**rest, **{name: value for name, value in found.items() if value}}


def guess_arrays(path: Path, name: str) -> Guess:
    """Guess which two arrays of an NPZ are samples and answers. Raises DataError for no NPZ."""
    arrays = {array: shape for array, (shape, _) in list_arrays(path, name).items()}
    flat = [array for array, shape in arrays.items() if len(shape) == 1]
    whole = [array for array, shape in arrays.items() if len(shape) > 1]
    data: dict[str, Any] = {"source": "NPZ", "file": name}
    target = _named(flat, (*TRAINED, *TARGETS)) or next(
        (a for a in reversed(flat) if any(arrays[a][0] == arrays[w][0] for w in whole)), ""
    )
    samples = next((w for w in whole if target and arrays[w][0] == arrays[target][0]), "")
    if not samples:
        return Guess(data)  # reading says what is missing
    names = list(arrays)
    data |= {"target_column": target} if target != names[-1] else {}
    rest = [array for array in names if array != target]
    data |= {"columns": [samples]} if samples != rest[0] else {}
    return Guess(data, tuple(f"array {a}" for a in rest if a != samples))


def _target(names: Sequence[str], unfit: Iterable[str]) -> str:
    """The column that calls itself the target, else the last one that can be one."""
    good = [name for name in names if name not in set(unfit)]
    return _named(good, TARGETS) or _named(names, TARGETS) or (good or names)[-1]


def _named(names: Sequence[str], wanted: Sequence[str]) -> str:
    lower = {name.lower(): name for name in reversed(names)}
    return next((lower[name] for name in wanted if name in lower), "")


def _unfit(read: Cells, place: int) -> str:
    """Why a column cannot be learned from as it is, "" if it can."""
    cells = [row[place] for row in read.rows]
    holes = [i for i, cell in enumerate(cells) if cell.lower() in MISSING]
    if holes:
        first = holes[0] + 1 + read.header
        many = "value" if len(holes) == 1 else "values"
        return f"misses {len(holes):,} {many} of {len(cells):,}, the first in row {first}"
    if len(set(cells)) == 1:
        return f"says {cells[0][:40]!r} in every row"
    try:
        words = read_column("", read, read.names[place], is_category=False).words
    except DataError as error:
        return f"says {error.message.partition(' says ')[2]}".rstrip(".")
    if len(words) > MOST_WORDS or len(words) == len(cells):
        return f"has {len(words):,} different words"
    return ""


def _is_id(read: Cells, place: int) -> bool:
    """Whether a column names the rows: called so, and with another whole number in each."""
    name = read.names[place]
    called = name.lower() in IDS or name.lower().endswith(("_id", " id")) or name.endswith(
        ("Id", "ID")) or (place == 0 and name == "column_1" and read.header)  # fmt: skip
    cells = [row[place] for row in read.rows]
    return called and len(set(cells)) == len(cells) and all(map(_is_whole, cells))


def _are_classes(read: Cells, target: str) -> bool:
    """Whether the numbers of a target rather name classes: whole, few, and each of them often."""
    cells = [row[read.names.index(target)] for row in read.rows]
    found = set(cells)
    most = FEW_IF_NAMED if target.lower() in ("label", "labels", "class", "classes") else FEW
    often = len(found) == 2 or ROWS_EACH * len(found) <= len(cells)
    return 2 <= len(found) <= most and often and all(map(_is_whole, found))


def _is_whole(cell: str) -> bool:
    number = to_number(cell)
    return number is not None and number.is_integer()
