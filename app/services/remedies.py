"""Applying a remedy of a verdict: change the open project and start a new run; and undo it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from app.services import run_start
from app.services.document import Document
from core.common.json_types import is_array, is_object
from core.project import Project
from core.runs.remedies import Remedy
from core.settings.launcher import Launcher
from core.settings.override import put


@dataclass(frozen=True)
class AppliedRemedy:
    """A remedy in use. run: the run that it started; before: the project without it."""

    run: str
    before: Project


def apply(
    document: Document, run: str, remedy: Remedy, launcher: Launcher | None = None
) -> AppliedRemedy:
    """Change the project and train it; the new run stores `run` as its origin.

    launcher: where it is to train, None for one process of this machine.

    Raises SweepError where the drawing has no such block any more, and what starting a run raises;
    then the project is as it was.
    """
    before, followed = document.project, document.form.suggested or {}
    document.replace(put(before, dict(remedy.changes)))
    # a setting of the remedy, or one that was not suggested, is the user's: it changes no other
    document.form.suggested = {n: v for n, v in followed.items() if n not in remedy.changes}
    origin = {"run": run, "title": remedy.title, "changes": dict(remedy.changes)}
    try:
        started = run_start.start(document, origin, launcher)
    except Exception:
        document.replace(before)
        raise
    return AppliedRemedy(started, before)


def undo(document: Document, taken: AppliedRemedy) -> None:
    """Restore the settings and blocks from before a remedy."""
    document.replace(taken.before)


def describe_changes(changes: Mapping[str, Any], before: Mapping[str, Any]) -> str:
    """The changes of a remedy, in a line: "lr 1e-05 → 0.003".

    before: settings by the same names.
    """
    parts = [
        f"{name} {_value(before[name])} → {_value(value)}"
        if name in before
        else f"{name} = {_value(value)}"
        for name, value in changes.items()
    ]
    return ", ".join(parts)


def _value(value: Any) -> str:
    if value is None:
        return "none"
    if is_array(value):
        return " and ".join(str(one.get("name")) if is_object(one) else str(one) for one in value)
    return f"{value:g}" if isinstance(value, float) else str(value)
