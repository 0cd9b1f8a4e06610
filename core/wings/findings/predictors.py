"""Small predictors that need no training: what one column by itself reaches, and what others do.

A number predicts by the nearest value that was seen, a category by its most frequent class. Scores
are accuracies of classes, and R² of numbers (1 is perfect, 0 is the mean).
"""

import numpy as np
from numpy.typing import NDArray

from core.wings.findings.table_view import Floats, Ints, TableColumn, TableView

FOLDS = 5
"""Every row is predicted once by the other four fifths: 1 % of 150 rows is still seen, where the
validation part alone has 30."""
NEIGHBOURS = 5
MOST_TOGETHER = (2000, 300)
"""Rows and columns for the score of several columns: their distances then take half a second."""
FEW_CELLS = 50_000
"""Cells up to which every fifth of the rows is predicted once, else one fifth: one of 48 rows alone
gives scores that are off by 10 %."""
FEW_WORDS = 20
"""Categories up to which each has a column of its own there; more are left out."""


def folds_of(view: TableView) -> Ints:
    """(S,) a fold for each row, drawn with a fixed seed; rows that belong together are in one."""
    return _drawn(view.owners) if len(view.owners) else _drawn(np.arange(len(view.answers)))


def folds_by_value(values: Floats) -> Ints:
    """(S,) the same, with equal values in one fold, so that no value was seen before."""
    return _drawn(np.unique(values, return_inverse=True)[1])


def _drawn(owners: Ints) -> Ints:
    return (np.random.default_rng(0).permutation(int(owners.max()) + 1) % FOLDS)[owners]


def baseline(view: TableView) -> float:
    """The share of the most frequent class; 0 for numbers, whose mean has an R² of 0."""
    if not view.classes:
        return 0.0
    return float(np.bincount(view.answers.astype(int)).max() / len(view.answers))


def filled(values: Floats) -> Floats:
    """Values with missing ones as a value of their own, far from the others."""
    known = values[~np.isnan(values)]
    if len(known) == len(values):
        return values
    far = known.max() + 10 * (np.ptp(known) + 1) if len(known) else 0.0
    return np.where(np.isnan(values), far, values)


def predict(column: TableColumn, view: TableView, seen: Ints, asked: Ints) -> Floats:
    """Predict the answers of rows by one column from those of other rows, by their places."""
    values, answers = filled(column.values), view.answers
    levels, inverse = np.unique(values[seen], return_inverse=True)
    told = _told(inverse, answers[seen], len(levels), view)
    if not view.classes and column.kind != "category":
        return np.interp(values[asked], levels, told)
    right = np.clip(np.searchsorted(levels, values[asked]), 0, len(levels) - 1)
    left = np.maximum(right - 1, 0)
    nearer = np.abs(levels[left] - values[asked]) < np.abs(levels[right] - values[asked])
    place = np.where(nearer, left, right)
    found = told[place]
    if column.kind == "category":
        usual = _told(np.zeros(len(seen), int), answers[seen], 1, view)[0]
        found = np.where(levels[place] == values[asked], found, usual)
    return found


def _told(inverse: Ints, answers: Floats, levels: int, view: TableView) -> Floats:
    """The most frequent class, or the mean, of the rows of each level."""
    if not view.classes:
        counts = np.bincount(inverse, minlength=levels)
        return np.bincount(inverse, answers, levels) / np.maximum(counts, 1)
    size = len(view.classes)
    pairs, counts = np.unique(inverse * size + answers.astype(int), return_counts=True)
    order = np.lexsort((counts, pairs // size))
    found = np.zeros(levels)
    found[(pairs // size)[order]] = (pairs % size)[order]  # the most frequent comes last
    return found


def score(predictions: Floats, answers: Floats, classes: bool) -> float:
    """Accuracy of classes, R² of numbers."""
    if classes:
        return float((predictions == answers).mean())
    spread = float(((answers - answers.mean()) ** 2).sum())
    return 1 - float(((predictions - answers) ** 2).sum()) / spread if spread else 0.0


def alone(column: TableColumn, view: TableView, folds: Ints) -> float:
    """What a column by itself reaches; every row is predicted from those of other folds."""
    found = np.empty(len(view.answers))
    for fold in range(FOLDS):
        asked = np.flatnonzero(folds == fold)
        if len(asked) in (0, len(folds)):
            return 0.0
        found[asked] = predict(column, view, np.flatnonzero(folds != fold), asked)
    best = score(found, view.answers, bool(view.classes))
    return best if view.classes or column.kind == "category" else max(best, _line(column, view))


def _line(column: TableColumn, view: TableView) -> float:
    """R² of a straight line through all values."""
    values = filled(column.values)
    if np.ptp(values) == 0 or np.ptp(view.answers) == 0:
        return 0.0
    return float(np.corrcoef(values, view.answers)[0, 1] ** 2)


def on_validation(column: TableColumn, view: TableView) -> float:
    """The same on the split of the project: learned from its training rows."""
    if not len(view.train) or not len(view.validation):
        return alone(column, view, folds_of(view))
    predictions = predict(column, view, view.train, view.validation)
    return score(predictions, view.answers[view.validation], bool(view.classes))


def together(columns: tuple[TableColumn, ...], view: TableView) -> float:
    """What several columns reach by nearest neighbours, by a linear fit, or the best one alone."""
    if not columns:
        return baseline(view)
    folds = folds_of(view)
    rows, most = MOST_TOGETHER
    singles = sorted(((alone(c, view, folds), i) for i, c in enumerate(columns)), reverse=True)
    chosen = [columns[i] for _, i in singles[:most]]
    some = np.random.default_rng(1).permutation(len(view.answers))[:rows]
    matrix, answers = _matrix(chosen, some), view.answers[some]
    if not matrix.shape[1]:
        return singles[0][0]
    every = range(FOLDS if len(some) * matrix.shape[1] <= FEW_CELLS else 1)
    found = [_of_fold(matrix, answers, folds[some] == fold, view) for fold in every]
    known = [pair for pair in found if pair is not None]
    return max(singles[0][0], *np.mean(known, axis=0)) if known else singles[0][0]


def _of_fold(
    matrix: Floats, answers: Floats, apart: NDArray[np.bool_], view: TableView
) -> tuple[float, float] | None:
    """Scores of neighbours and of a linear fit on the rows apart; None where a side is empty."""
    given, asked, told = matrix[~apart], matrix[apart], answers[~apart]
    if len(given) == 0 or len(asked) == 0:
        return None
    classes = len(view.classes)
    near = _neighbours(given, told, asked, classes)
    line = _linear(given, told, asked, classes)
    right = answers[apart]
    return score(near, right, bool(classes)), score(line, right, bool(classes))


def _matrix(columns: list[TableColumn], rows: Ints) -> Floats:
    """(S, F) columns with mean 0 and deviation 1; a missing value is 0."""
    parts: list[NDArray[np.float64]] = []
    for column in columns:
        values = column.values[rows]
        if column.kind == "category":
            levels = column.levels if len(column.levels) <= FEW_WORDS else ()
            parts += [(values == level).astype(float) for level in levels]
        else:
            parts.append(values)
    if not parts:
        return np.empty((len(rows), 0))
    whole = np.stack(parts, axis=1)
    known = ~np.isnan(whole)
    count = np.maximum(known.sum(0), 1)
    mean = np.where(known, whole, 0).sum(0) / count
    whole = np.where(known, whole - mean, 0)
    return whole / np.maximum(whole.std(0), 1e-12)


def _neighbours(given: Floats, answers: Floats, asked: Floats, classes: int) -> Floats:
    near = (asked**2).sum(1)[:, None] + (given**2).sum(1)[None] - 2 * asked @ given.T
    most = min(NEIGHBOURS, len(given))
    places = np.argpartition(near, most - 1, axis=1)[:, :most]
    if not classes:
        return answers[places].mean(1)
    votes = answers[places].astype(int)
    return np.array([np.bincount(row).argmax() for row in votes], float)


def _linear(given: Floats, answers: Floats, asked: Floats, classes: int) -> Floats:
    """Least squares, with a small penalty so that as many columns as rows have a solution."""
    wanted = answers[:, None] if not classes else (answers[:, None] == np.arange(classes)) * 1.0
    middle = wanted.mean(0)
    square = given.T @ given + np.eye(given.shape[1]) * 1e-3 * len(given)
    found = asked @ np.linalg.solve(square, given.T @ (wanted - middle)) + middle
    return found[:, 0] if not classes else found.argmax(1).astype(float)
