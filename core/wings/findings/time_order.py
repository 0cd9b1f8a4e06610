"""Rows in the order of time whose split is drawn at random: it validates between its neighbours."""

import re

import numpy as np

from core.wings.findings.finding import DataFinding
from core.wings.findings.shared_rows import split_by
from core.wings.findings.table_view import LEAST_ROWS, Floats, TableColumn, TableView

TIME = re.compile(
    r"(^|[_ .-])(date|day|days|time|timestamp|datetime|hour|minute|second|week|month|t|step|tick)$",
    re.IGNORECASE,
)
"""Names of columns that say when."""
SORTED = 0.95
"""The share of rows that do not go back in time; of rows in any order half of them do."""
FOLLOWS = 0.5
"""How far the answers of neighbours in time agree (correlation) before their order matters without
a date; of rows in any order 0 ± 0.1 at 100 rows."""
CLEARLY = 3.0
"""The same where there is a date, in standard errors of rows in any order."""


def find_time(view: TableView) -> list[DataFinding]:
    """A column of dates, or steady numbers, while chance decides the split."""
    if view.mode != "random" or len(view.answers) < LEAST_ROWS:
        return []
    dates = [c for c in view.columns if c.kind == "date" and _year(c)]
    steady = [c for c in view.columns if c.kind == "number" and _steady(c, view)]
    for column in (*dates, *steady):
        order = np.argsort(column.values, kind="stable")
        follows = _follows(view.answers[order], bool(view.classes))
        least = CLEARLY / np.sqrt(len(view.answers)) if column in dates else FOLLOWS
        rising = _rising(column.values)
        if follows >= least or (column in dates and rising and not view.classes):
            return [_finding(column, view, follows)]
    return []


def _year(column: TableColumn) -> bool:
    """Whether a date has a day: a time of day alone is no order."""
    return bool(column.read and any(sign in column.read.date for sign in ("%Y", "%y", "{")))


def _rising(values: Floats) -> bool:
    steps = np.diff(values)
    return bool((steps >= 0).mean() >= SORTED or (steps <= 0).mean() >= SORTED)


def _steady(column: TableColumn, view: TableView) -> bool:
    """Whether a column counts or ticks: no value twice, steps all alike, or such a name."""
    if len(column.levels) < len(column.values):
        return False
    steps = np.diff(column.values)
    alike = bool(np.ptp(steps) <= 1e-6 * np.abs(steps).max())
    return (alike or bool(TIME.search(column.name))) and _rising(column.values)


def _follows(answers: Floats, classes: bool) -> float:
    """The correlation of neighbours; of classes how much oftener they agree than by chance."""
    if classes:
        share = np.unique(answers, return_counts=True)[1] / len(answers)
        chance = float((share**2).sum())
        return (float((answers[1:] == answers[:-1]).mean()) - chance) / (1 - chance)
    if np.ptp(answers) == 0 or np.ptp(answers[1:]) == 0 or np.ptp(answers[:-1]) == 0:
        return 0.0
    return float(np.corrcoef(answers[1:], answers[:-1])[0, 1])


def _finding(column: TableColumn, view: TableView, follows: float) -> DataFinding:
    agree = (
        f" {view.target} of neighbouring rows agrees (correlation {follows:.2f}),"
        if (follows > 0.2)
        else ""
    )
    sentence = (
        f"The rows have a time, {column.name}, but the split is random:{agree} so validation rows "
        "lie between training rows of about the same time. Later rows, which a prediction is for, "
        "may be much harder."
    )
    return DataFinding(
        "time",
        sentence,
        (column.name,),
        score=round(max(follows, 0.0), 4),
        mend=split_by(view, "time", column.name, f"Split in time by {column.name}"),
        doubts="high",
        verdict=f"the split is random though the rows have a time ({column.name}): it may be worse "
        "on later rows",
    )
