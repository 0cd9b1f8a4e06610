"""Columns that hold the answer in other words: a code of the class, its complement, siblings of a
one-hot code, the same price in another currency, a sum, or a row number of rows sorted by class."""

from dataclasses import replace
from typing import Any

import numpy as np

from core.wings.findings.finding import DataFinding, Mend, named, percent, without_columns
from core.wings.findings.predictors import alone, baseline, folds_of, on_validation, together
from core.wings.findings.table_view import LEAST_ROWS, Floats, TableColumn, TableView

NEARLY_ALL = 0.02
"""The share of the baseline's mistakes that a leak may make. The best column of iris makes 6 % of
them, of wine 30 %; a copy of the answer with one wrong cell in a hundred makes 2 %."""
SAME_NUMBER = 0.001
"""The same of numbers, 1 - R²: a price in another currency, rounded to cents, has 1e-6; weight as
predicted by the best measured length of a fish has 0.02."""
REST_FAILS = 2.5
"""How many times the mistakes of a leak the other columns make at least, else the data is simply
easy: of two well separated clouds each column decides, and none of them is the answer."""
COUNTING = 0.3
"""The share of the baseline's mistakes that a row number may make: a number that only counts rows
should know nothing, and makes all of them; of rows sorted by class it makes 1 to 5 %."""
LEAST_EACH = 5
"""Rows that each value of a code has on average, so that it is no number of a row."""
MOST_SIBLINGS = 200
MOST_TERMS = 8
"""Columns of a sum or product; more than that fit many targets by chance of rounding."""


def find_leaks(view: TableView, taken: tuple[str, ...] = ()) -> list[DataFinding]:
    """Columns that decide the target. taken: columns that were named for another reason."""
    columns = tuple(c for c in view.used if c.name not in taken and len(c.levels) > 1)
    if len(view.answers) < LEAST_ROWS or np.ptp(view.answers) == 0:
        return []
    counting = [c for c in columns if view.classes and counts_rows(c)]
    counts = [f for c in counting if (f := _row_number(c, view, columns))]
    rest = tuple(c for c in columns if c not in counting)
    siblings = _one_hot(view, rest)
    if siblings:
        return [*counts, _several(siblings, view, "one-hot")]
    found = _single(view, rest)
    return [*counts, *(found or _formula(view, rest))]


def counts_rows(column: TableColumn) -> bool:
    """Whether a column counts: whole numbers, none twice, rising from row to row."""
    values = column.values
    if column.kind != "number" or not column.whole or len(column.levels) < len(values):
        return False
    steps = np.diff(values)
    return bool((steps > 0).all() or (steps < 0).all())


def _row_number(
    column: TableColumn, view: TableView, columns: tuple[TableColumn, ...]
) -> DataFinding | None:
    usual, folds = baseline(view), folds_of(view)
    reached = alone(column, view, folds)
    if 1 - reached > COUNTING * (1 - usual):
        return None
    told = on_validation(column, view)
    sentence = (
        f"{column.name} counts the rows, and the rows are sorted by {view.target}: by itself it "
        f"predicts {percent(told)} of {view.target} "
        f"(always the most frequent class: {percent(usual)}). New rows have no such number."
    )
    return _finding("row_number", sentence, (column,), view, told)


def _single(view: TableView, columns: tuple[TableColumn, ...]) -> list[DataFinding]:
    """Columns each of which decides the target by itself."""
    folds, usual = folds_of(view), baseline(view)
    most = NEARLY_ALL * (1 - usual) if view.classes else SAME_NUMBER
    scores = {c.name: alone(c, view, folds) for c in columns}
    strong = tuple(c for c in columns if 1 - scores[c.name] <= most)
    if not strong:
        return []
    same = tuple(c for c in strong if _same_in_other_words(c, view))
    others = tuple(c for c in columns if c not in strong)
    if len(same) < len(strong) and _easy(view, others, usual):
        strong = same
    return [_decides(strong, view, scores, others)] if strong else []


def _easy(view: TableView, others: tuple[TableColumn, ...], usual: float) -> bool:
    """Whether the other columns reach nearly as much, or there are none to compare with."""
    if not others:
        return True
    wrong = 1 - together(others, view)
    least = NEARLY_ALL * (1 - usual) if view.classes else SAME_NUMBER
    return wrong < REST_FAILS * least


def _same_in_other_words(column: TableColumn, view: TableView) -> bool:
    """Whether each value stands for one class and each class for one value."""
    if not view.classes or len(column.known) < len(column.values):
        return False
    levels = len(column.levels)
    if levels * LEAST_EACH > len(view.answers):
        return False
    pairs = np.unique(np.stack([column.values, view.answers]), axis=1).shape[1]
    return pairs == levels == len(np.unique(view.answers))


def _decides(
    strong: tuple[TableColumn, ...],
    view: TableView,
    scores: dict[str, float],
    others: tuple[TableColumn, ...],
) -> DataFinding:
    usual, told = baseline(view), on_validation(strong[0], view)
    told = max(told, scores[strong[0].name]) if not view.classes else told
    what = (
        f"{percent(told)} of {view.target}" if view.classes else f"{view.target} with R² {told:.4f}"
    )
    alike = named(c.name for c in strong)
    by = "by itself" if len(strong) == 1 else "each by itself"
    left = f"; all other columns together: {_rated(together(others, view), view)}" if others else ""
    base = f" (always the most frequent class: {percent(usual)}{left})" if view.classes else left
    sentence = (
        f"{alike} {'predicts' if len(strong) == 1 else 'predict'} {what} {by}{base}. "
        f"{'It is' if len(strong) == 1 else 'They are'} probably {view.target} in other words, "
        "which new data does not have."
    )
    return _finding("leak", sentence, strong, view, told)


def _rated(reached: float, view: TableView) -> str:
    return percent(reached) if view.classes else f"R² {reached:.2f}"


def _finding(
    kind: str, sentence: str, columns: tuple[TableColumn, ...], view: TableView, reached: float
) -> DataFinding:
    names = tuple(column.name for column in columns)
    data = without_columns(view.data, names, view.inputs) if view.can_drop else None
    result = percent(reached) if view.classes else f"R² {reached:.3f}"
    return DataFinding(
        kind,
        sentence,
        names,
        score=reached,
        baseline=baseline(view),
        mend=Mend(f"Leave out {named(names)}", data) if data else None,
        doubts="high",
        verdict=f"{named(names)} alone {'reaches' if len(names) == 1 else 'reach'} {result}",
    )


def _zero_one(column: TableColumn) -> bool:
    return column.kind == "number" and len(column.levels) == 2 and set(column.levels) == {0.0, 1.0}


def _one_hot(view: TableView, columns: tuple[TableColumn, ...]) -> tuple[TableColumn, ...]:
    """Columns of 0 and 1 that are one code together with a target of two classes; () for none."""
    marks = [c for c in columns if _zero_one(c) and not np.isnan(c.values).any()][:MOST_SIBLINGS]
    if len(np.unique(view.answers)) != 2 or len(marks) < 2:
        return ()
    start = view.target.rstrip("0123456789").split("_")[0]
    marks.sort(key=lambda c: not c.name.startswith(start))
    target = (view.answers > view.answers.min()) * 1.0
    for answer in (target, 1 - target):
        if found := _covering(answer, marks):
            return found
    return ()


def _covering(answer: Floats, marks: list[TableColumn]) -> tuple[TableColumn, ...]:
    """Several columns of which exactly one is 1 in each row where the answer is 0."""
    covered, found = answer.copy(), list[TableColumn]()
    for column in marks:
        if not (covered * column.values).any():
            covered, found = covered + column.values, [*found, column]
        if covered.all():
            return tuple(found) if len(found) > 1 else ()
    return ()


def _several(columns: tuple[TableColumn, ...], view: TableView, kind: str) -> DataFinding:
    names = named(c.name for c in columns)
    every = named([*(c.name for c in columns), view.target])
    sentence = (
        f"In each row exactly one of {every} is 1: together they are one answer "
        f"in several columns, so {names} give {view.target} away (100 %)."
    )
    found = _finding("leak", sentence, columns, view, 1.0)
    return replace(found, kind="one_hot")


def _formula(view: TableView, columns: tuple[TableColumn, ...]) -> list[DataFinding]:
    """A target that is a sum, a difference, a product or a quotient of a few columns."""
    numbers = [c for c in columns if c.kind == "number" and len(c.known) == len(c.values)]
    if view.classes or not 2 <= len(numbers) <= 30 or len(view.answers) < 2 * len(numbers):
        return []
    whole = np.stack([c.values for c in numbers], axis=1)
    for signs, logs in ((("+", "-"), False), (("×", "/"), True)):  # noqa: RUF001
        if logs and (whole.min() <= 0 or view.answers.min() <= 0):
            continue
        terms = _terms(np.log(whole) if logs else whole, view.answers, logs)
        if terms is not None:
            return [_of_formula(view, numbers, terms, signs)]
    return []


def _terms(matrix: Floats, answers: Floats, logs: bool) -> Any:
    """A factor of 1, -1 or 0 for each column where these give the answers; None for none."""
    wanted = np.log(answers) if logs else answers
    factors = np.linalg.lstsq(matrix, wanted, rcond=None)[0]
    signs = np.round(factors)
    used = int(np.abs(signs).sum())
    if np.abs(signs).max() > 1 or not 2 <= used <= MOST_TERMS:
        return None
    near = np.abs(matrix @ signs - wanted).max()
    return signs if near <= 1e-3 * wanted.std() else None


def _of_formula(view: TableView, numbers: list[TableColumn], terms: Any, signs: Any) -> DataFinding:
    used = sorted(
        ((c, sign) for c, sign in zip(numbers, terms, strict=True) if sign), key=lambda p: -p[1]
    )
    first, *more = used
    text = first[0].name + "".join(f" {signs[0 if s > 0 else 1]} {c.name}" for c, s in more)
    sentence = (
        f"{view.target} is {text} in every row: a calculation gives it, there is nothing to learn."
    )
    return _finding("formula", sentence, tuple(c for c, _ in used), view, 1.0)
