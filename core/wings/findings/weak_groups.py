"""Groups on which a network is much worse: rows with one value of a column, such as one hospital.

Chance is Fisher's exact test of right and wrong, inside the group and outside, over all groups at
once (Bonferroni): a network that is equally good everywhere is doubted in one data set in a
hundred.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.wings.findings.file_rows import Place
from core.wings.findings.finding import shown
from core.wings.findings.table_view import TableColumn, TableView

CHANCE = 0.01
"""How likely it is that any group is named of a network that is equally good on all."""
MUCH = 0.05
"""The least difference in accuracy; less is nothing to act on, however sure it is."""
LEAST = 10
"""Samples of a group; of fewer, all may be wrong by chance at usual accuracies."""
MOST_LEVELS = 50
"""Values of a column; more are names, of which each has few samples."""
FEW_NUMBERS = 10
"""Different whole numbers of a column up to which they are taken for groups."""


@dataclass(frozen=True)
class GroupAccuracy:
    """Samples with one value of a column. accuracy: on them; others: on all other samples.
    p_value: how likely so much less is by luck alone, over all groups that were looked at."""

    column: str
    value: str
    samples: int
    accuracy: float
    others: float
    p_value: float

    @property
    def weak(self) -> bool:
        """Whether it is worse by much, and by more than chance."""
        return self.p_value < CHANCE and self.others - self.accuracy >= MUCH

    @property
    def sentence(self) -> str:
        """What is said of a weak one."""
        return (
            f"Where {self.column} is {self.value}, {self.accuracy:.1%} of {self.samples:,} "
            f"predictions are correct, elsewhere {self.others:.1%}."
        )


def groups_of(
    view: TableView, places: Sequence[Place], right: NDArray[np.bool_]
) -> list[GroupAccuracy]:
    """All groups with enough samples, the weakest by chance first.

    places: row of the file of each sample; right: (S,) whether it is predicted right.
    """
    at: Mapping[Place, int] = {int(row): number for number, row in enumerate(view.rows)}
    known = [number for number, place in enumerate(places) if place in at]
    rows = np.array([at[places[number]] for number in known], int)
    found: list[tuple[str, str, NDArray[np.bool_]]] = []
    for column in filter(_grouped, view.columns):
        values = column.values[rows]
        for level in np.unique(values[~np.isnan(values)]):
            inside = values == level
            if LEAST <= inside.sum() <= len(inside) - LEAST:
                found.append((column.name, _word(column, level), inside))
    hits = right[known]
    each = [_group(name, word, inside, hits, len(found)) for name, word, inside in found]
    return sorted(each, key=lambda group: (group.p_value, group.accuracy))


def _grouped(column: TableColumn) -> bool:
    levels = len(column.levels)
    if column.kind == "category":
        return 2 <= levels <= MOST_LEVELS
    return column.kind == "number" and column.whole and 2 <= levels <= FEW_NUMBERS


def _word(column: TableColumn, level: float) -> str:
    return shown(column.words[int(level)]) if column.words else f"{level:g}"


def _group(
    name: str, word: str, inside: NDArray[np.bool_], right: NDArray[np.bool_], looked: int
) -> GroupAccuracy:
    count, total = int(inside.sum()), len(right)
    hits, others = int(right[inside].sum()), int(right[~inside].sum())
    stats: Any = import_module("scipy.stats")  # it has no types
    p_value = float(stats.hypergeom.cdf(hits, total, hits + others, count))
    return GroupAccuracy(
        name, word, count, hits / count, others / (total - count), min(1.0, looked * p_value)
    )
