"""Applying a remedy of a verdict: change the open project and start a new run; and undo it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from app.services import starting
from app.services.document import Document
from core.json_types import is_array, is_object
from core.launch.launcher import Launcher
from core.project import Project
from core.runs.remedies import Remedy
from core.settings.override import put


@dataclass(frozen=True)
class Taken:
    """A remedy that was taken. run: what it started; before: the project as it was."""

    run: str
    before: Project


def take(document: Document, run: str, remedy: Remedy, launcher: Launcher | None = None) -> Taken:
    """Change the project and train it; the new run says that it comes from `run`.

    launcher: where it is to train, None for one process of this machine.

    Raises SweepError where the drawing has no such block any more, and what starting a run raises;
    then the project is as it was.
    """
    before, followed = document.project, document.form.suggested or {}
    document.replace(put(before, dict(remedy.changes)))
    # what the remedy changes, and what nobody suggested, is chosen: it changes nothing else
    document.form.suggested = {n: v for n, v in followed.items() if n not in remedy.changes}
    origin = {"run": run, "title": remedy.title, "changes": dict(remedy.changes)}
    try:
        started = starting.start(document, origin, launcher)
    except Exception:
        document.replace(before)
        raise
    return Taken(started, before)


def take_back(document: Document, taken: Taken) -> None:
    """Give the project the settings and the blocks that it had before a remedy."""
    document.replace(taken.before)


def described(changes: Mapping[str, Any], before: Mapping[str, Any]) -> str:
    """What a remedy changes, in a line: "lr 1e-05 → 0.003". before: settings by the same names."""
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
