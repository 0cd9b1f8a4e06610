"""Which of several runs is best: among those that are judged by and on the same as the latest."""

from collections.abc import Sequence
from typing import Any

from core.runs.comparability import compares
from core.runs.listing import RunView
from core.tasks.metric_labels import higher_is_better


def best_first(views: Sequence[RunView]) -> list[RunView]:
    """Sort runs, given newest first: the best first, then those that no such value was kept of.

    Those judged on other samples than the newest come last, however high their value is. Of equal
    ones the newer stands first.
    """
    known = judged_alike(views)
    metric = (known[0].best or {}).get("metric") if known else None
    sign = -1 if higher_is_better(str(metric)) else 1
    known.sort(key=lambda view: sign * _value(view))
    names = {view.name for view in known}
    return [*known, *(view for view in views if view.name not in names)]


def best_run(views: Sequence[RunView]) -> RunView | None:
    """The best of runs given newest first; None where none has a best value."""
    first = next(iter(best_first(views)), None)
    return first if first is not None and _value(first) is not None else None


def judged_alike(views: Sequence[RunView]) -> list[RunView]:
    """Those that compare with the newest that has a value, given newest first."""
    judged = [view for view in views if _value(view) is not None]
    if not judged:
        return []
    newest = judged[0].judged, _metric(judged[0])
    return [view for view in judged if compares(newest, (view.judged, _metric(view)))]


def judged_apart(views: Sequence[RunView]) -> int:
    """How many runs have a result that does not compare with the newest one."""
    return sum(_value(view) is not None for view in views) - len(judged_alike(views))


def _metric(view: RunView) -> str:
    return str((view.best or {}).get("metric"))


def _value(view: RunView) -> Any:
    return (view.best or {}).get("value")
