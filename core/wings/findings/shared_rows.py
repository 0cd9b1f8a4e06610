"""Rows on both sides of the split that belong together: of one patient, or copies of each other."""

import re
from collections.abc import Mapping
from typing import Any

import numpy as np

from core.wings.findings.finding import DataFinding, Mend, named, percent
from core.wings.findings.predictors import (
    alone,
    baseline,
    filled,
    folds_by_value,
    folds_of,
)
from core.wings.findings.table_view import LEAST_ROWS, Floats, Ints, TableColumn, TableView

OWNER = re.compile(
    r"(^|[_ .-])(id|ids|uuid|patient|subject|person|participant|proband|user|customer|client|"
    r"student|pupil|player|donor|speaker|session|household|family|device|sensor|plot|batch|clip|"
    r"recording|video|mouse|animal|specimen)([_ .-]?(id|nr|no|number|name|code))?$|[a-z]I[Dd]$",
    re.IGNORECASE,
)
"""Names of columns that say whose row it is."""
LEAST_GROUPS = 8
"""Fewer values are a category: a site or a brand, of which new data has the same."""
ROWS_EACH = 1.5
"""Rows of a group on average; below, most groups have one row and nothing is shared."""
KNOWS_MORE = 0.5
"""The share of mistakes that must vanish by knowing the value itself, against values beside it. Of
a measured column hardly any do; of a patient whose rows share the outcome all do."""
FEW_COPIES = 0.03
"""The share of validation rows that may have a copy by chance. Iris has 1 in 150."""
LEAST_COPIES = 3
SELDOM = 0.1
"""How many copies columns that know nothing of each other would have, against those that are."""
MOST_NEAR = (1000, 8000)
"""Validation and training rows whose distances are measured: 8 million take a third of a second."""
NEAR, NTH = 0.02, 10
"""A near copy is 50 times nearer than the tenth nearest row. In three dimensions one row in 10,000
is so by chance, in two one in 250."""
LEAST_NEAR = 0.1
SOME_COLUMNS = 3


def find_groups(view: TableView, by_name: bool = False) -> list[DataFinding]:
    """Columns whose values are shared by rows on both sides of a split that chance decides.

    by_name: whether only those are looked at whose name says so; copies of rows share all values.
    """
    if view.mode != "random" or len(view.answers) < LEAST_ROWS:
        return []
    looked = [c for c in view.columns if OWNER.search(c.name) or not by_name]
    found = [(c, f) for c in looked if (f := _group(c, view))]
    found.sort(key=lambda pair: -(pair[1].score or 0))
    return [finding for _, finding in found[:1]]


def _group(column: TableColumn, view: TableView) -> DataFinding | None:
    many, rows = len(column.levels), len(column.known)
    if column.kind == "date" or many < LEAST_GROUPS or rows < ROWS_EACH * many:
        return None
    if column.kind == "number" and not column.whole:
        return None
    owner = bool(OWNER.search(column.name))
    words = column.kind == "category" and many >= 2.5 * LEAST_GROUPS
    if not (owner or words or _unordered(column)):
        return None
    more = _knows_more(column, view)
    if not owner and more < KNOWS_MORE:
        return None
    inside = view.part_of
    both = np.intersect1d(column.values[inside == 0], column.values[inside == 1])
    shared = np.flatnonzero(np.isin(column.values, both) & (inside == 1))
    if len(shared) < max(LEAST_COPIES, 0.2 * (inside == 1).sum()):
        return None
    return _of_group(column, view, shared, more)


def _knows_more(column: TableColumn, view: TableView) -> float:
    """How much of the mistakes vanishes by knowing the value itself, from 0 to 1."""
    values = filled(column.values)
    usual = baseline(view) if view.classes else 0.0
    seen = alone(column, view, folds_of(view))
    beside = max(alone(column, view, folds_by_value(values)), usual)
    return (seen - beside) / (1 - beside) if beside < 1 else 0.0


def _unordered(column: TableColumn) -> bool:
    """Whether whole numbers are names: large ones, as many of each, rather than a measure."""
    counts = np.unique(column.known, return_counts=True)[1]
    return len(counts) >= 2.5 * LEAST_GROUPS and counts.max() <= 4 * np.median(counts)


def _of_group(column: TableColumn, view: TableView, shared: Ints, more: float) -> DataFinding:
    inside = int((view.part_of == 1).sum())
    share = len(shared) / inside
    sentence = (
        f"{len(shared):,} of {inside:,} validation rows have the same {column.name} as training "
        f"rows ({len(column.levels):,} different in {len(column.known):,} rows). The network can "
        f"recognise the {column.name}; on a new one it may be much worse."
    )
    return DataFinding(
        "group",
        sentence,
        (column.name,),
        view.file_rows(shared),
        len(shared),
        score=share,
        mend=split_by(view, "group", column.name, f"Split by {column.name}"),
        doubts="high",
        verdict=f"{len(shared):,} of {inside:,} validation rows have the {column.name} of training "
        f"rows: it may be much worse on a new {column.name}",
    )


def split_by(view: TableView, mode: str, name: str, title: str) -> Mend | None:
    """Settings that split by a column. mode: "group" or "time"; name: "" for the order of rows."""
    if not view.can_drop:
        return None
    data: dict[str, Any] = {k: v for k, v in view.data.items() if k not in OF_SPLIT}
    data |= {"split": mode} | ({"split_by": name} if name else {})
    if mode == "group" and name in view.inputs:
        kept = [column for column in view.inputs if column != name]
        if not kept:
            return None
        data |= {"columns": kept} if _listed(view.data) else {}
    return Mend(title, data)


OF_SPLIT = ("split", "split_by", "split_until", "split_values", "gap", "stratify")


def _listed(data: Mapping[str, Any]) -> bool:
    return bool(data.get("columns"))


def find_copies(view: TableView) -> list[DataFinding]:
    """Validation rows that training rows repeat, in every column, or nearly."""
    used = [c for c in view.used if len(c.levels) > 1]
    if not used or len(view.answers) < LEAST_ROWS or not len(view.validation):
        return []
    copies = _exact(view, used)
    if len(copies) >= max(LEAST_COPIES, FEW_COPIES * len(view.validation)):
        expected = len(view.train) * len(view.validation) * _chance(view, used)
        if expected < SELDOM * len(copies):
            return [_of_copies(view, copies, "copies")]
    near = _near(view, [c for c in used if c.kind == "number"])
    return [_of_copies(view, near, "near_copies")] if len(near) else []


def owners_of(view: TableView, column: str = "") -> Ints:
    """(S,) a number for the rows of each value of a column, or of all rows that are equal."""
    if column:
        values = next(c.values for c in view.columns if c.name == column)
        return np.unique(filled(values), return_inverse=True)[1]
    return _equal_rows(view, list(view.used))


def _exact(view: TableView, used: list[TableColumn]) -> Ints:
    owners = _equal_rows(view, used)
    return view.validation[np.isin(owners[view.validation], owners[view.train])]


def _equal_rows(view: TableView, used: list[TableColumn]) -> Ints:
    whole = np.stack([*(filled(c.values) for c in used), view.answers], axis=1) + 0.0
    rows = np.ascontiguousarray(whole).view(np.dtype((np.void, whole.shape[1] * 8))).ravel()
    return np.unique(rows, return_inverse=True)[1]


def _chance(view: TableView, used: list[TableColumn]) -> float:
    """How likely two rows are equal where columns know nothing of each other."""
    chance = 1.0
    for values in (*(filled(c.values) for c in used), view.answers):
        share = np.unique(values, return_counts=True)[1] / len(values)
        chance *= float((share**2).sum())
    return chance


def _near(view: TableView, numbers: list[TableColumn]) -> Ints:
    """Validation rows with a training row much nearer than the tenth nearest."""
    fine = [c for c in numbers if len(c.levels) > 0.2 * len(c.values)]
    if len(fine) < SOME_COLUMNS or len(view.train) < 3 * NTH or len(view.validation) < NTH:
        return view.validation[:0]
    whole = np.stack([filled(c.values) for c in fine], axis=1)
    whole = (whole - whole.mean(0)) / np.maximum(whole.std(0), 1e-12)
    draw = np.random.default_rng(0)
    asked = draw.permutation(view.validation)[: MOST_NEAR[0]]
    given = draw.permutation(view.train)[: MOST_NEAR[1]]
    first, nth = _distances(whole[asked], whole[given])
    near = asked[(first < NEAR * nth) & (nth > 0)]
    return near if len(near) >= LEAST_NEAR * len(asked) else near[:0]


def _distances(asked: Floats, given: Floats) -> tuple[Floats, Floats]:
    """(A,) the distances of the nearest and of the tenth nearest row."""
    square = (asked**2).sum(1)[:, None] + (given**2).sum(1)[None] - 2 * asked @ given.T
    found = np.sqrt(np.maximum(np.partition(square, NTH - 1, axis=1)[:, :NTH], 0))
    return found.min(1), found.max(1)


def _of_copies(view: TableView, places: Ints, kind: str) -> DataFinding:
    inside = len(view.validation)
    looked = min(inside, MOST_NEAR[0]) if kind == "near_copies" else inside
    share = len(places) / looked
    what = "are copies of" if kind == "copies" else "differ hardly from"
    sentence = (
        f"{len(places):,} of {looked:,} validation rows {what} training rows ({percent(share)}): "
        "the network has seen them."
        + ("" if kind == "copies" else " Split by a column that names what belongs together.")
    )
    return DataFinding(
        kind,
        sentence,
        rows=view.file_rows(places),
        count=len(places),
        score=share,
        doubts="high",
        verdict=f"{percent(share)} of the validation rows {what} training rows: it may be worse on "
        "new rows",
        mend=_by_owner(view) or (_once(view) if kind == "copies" else None),
    )


def _by_owner(view: TableView) -> Mend | None:
    """A split by a column that says whose row it is, where there is one."""
    for column in view.columns:
        repeated = len(column.known) >= ROWS_EACH * max(len(column.levels), 1)
        if OWNER.search(column.name) and repeated and len(column.levels) > 1:
            return split_by(view, "group", column.name, f"Split by {named([column.name])}")
    return None


def _once(view: TableView) -> Mend | None:
    """Settings that keep the first of equal rows; None for data that has no such setting."""
    if view.cells is None:
        return None
    return Mend("Leave out the copies", {**view.data, "copies": "drop"})
