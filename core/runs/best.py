"""Which of several runs is best: by the metric that judges the latest of them."""

from collections.abc import Sequence
from typing import Any

from core.runs.listing import RunView


def best_first(views: Sequence[RunView]) -> list[RunView]:
    """Sort runs, given newest first: the best first, then those that no such value was kept of.

    Of equal ones the newer stands first.
    """
    judged = [view for view in views if _value(view) is not None]
    metric = (judged[0].best or {}).get("metric") if judged else None
    known = [view for view in judged if (view.best or {}).get("metric") == metric]
    sign = -1 if "accuracy" in str(metric) else 1
    known.sort(key=lambda view: sign * _value(view))
    names = {view.name for view in known}
    return [*known, *(view for view in views if view.name not in names)]


def best_run(views: Sequence[RunView]) -> RunView | None:
    """The best of runs given newest first; None where none has a best value."""
    first = next(iter(best_first(views)), None)
    return first if first is not None and _value(first) is not None else None


def _value(view: RunView) -> Any:
    return (view.best or {}).get("value")
