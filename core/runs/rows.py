"""The rows of a list of runs: a run, or all trials of one sweep together."""

import hashlib
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from core.runs.best import best_run
from core.runs.listing import RunView

FEWEST = 2
"""So many trials of a sweep are one row; a single one is a run like others."""


@dataclass(frozen=True)
class ListedRuns:
    """One run, or the listed trials of a sweep in their order. sweep: its name, "" for one run."""

    views: tuple[RunView, ...]
    sweep: str = ""

    @property
    def best(self) -> RunView:
        """The run, or the best of the trials; the first where none has a best value."""
        return best_run(self.views) or self.views[0]

    @property
    def key(self) -> str:
        """A short name of it, for what belongs to it on a page: others may have this sweep's."""
        first = self.views[0]
        return hashlib.sha256(repr(_group(first)).encode()).hexdigest()[:12]

    @property
    def count(self) -> str:
        """How many trials it has, in words."""
        return f"{len(self.views)} trials"

    @property
    def states(self) -> tuple[tuple[str, int], ...]:
        """How many runs are in each state, the most frequent state first."""
        return tuple(Counter(view.state for view in self.views).most_common())


def rows(views: Sequence[RunView], apart: Collection[str] = ()) -> list[ListedRuns]:
    """Fold the trials of each sweep into one row, where the first of them stands.

    apart: names of runs that keep a row of their own, such as pinned ones.
    """
    groups: dict[tuple[str, ...], list[RunView]] = {}
    for view in views:
        alone = not view.sweep or view.name in apart
        groups.setdefault((view.name,) if alone else _group(view), []).append(view)
    return [
        ListedRuns(tuple(group), group[0].sweep if len(group) >= FEWEST else "")
        for group in groups.values()
    ]


def _group(view: RunView) -> tuple[str, ...]:
    """What the trials of one sweep have in common; two bundles may bring sweeps of one name."""
    return view.sweep, view.project_name, view.brought
