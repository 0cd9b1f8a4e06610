"""Training in run folders. Preparing, starting and reading a run import no torch."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from core.train.branching import branch
    from core.train.control import pause, request, resume, start, stop, wait
    from core.train.errors import CheckpointError, RunError, TrainingError
    from core.train.new import prepare
    from core.train.rebuild import load_module
    from core.train.runs import RunView, list_runs, read_events, read_metrics, view_run

_DOORS = {
    "CheckpointError": "errors",
    "RunError": "errors",
    "RunView": "runs",
    "TrainingError": "errors",
    "branch": "branching",
    "list_runs": "runs",
    "load_module": "rebuild",
    "pause": "control",
    "prepare": "new",
    "read_events": "runs",
    "read_metrics": "runs",
    "request": "control",
    "resume": "control",
    "start": "control",
    "stop": "control",
    "view_run": "runs",
    "wait": "control",
}
__all__ = [
    "CheckpointError",
    "RunError",
    "RunView",
    "TrainingError",
    "branch",
    "list_runs",
    "load_module",
    "pause",
    "prepare",
    "read_events",
    "read_metrics",
    "request",
    "resume",
    "start",
    "stop",
    "view_run",
    "wait",
]


def __getattr__(name: str) -> Any:
    if name in _DOORS:
        return getattr(import_module(f"core.train.{_DOORS[name]}"), name)
    raise AttributeError(f"module 'core.train' has no attribute {name!r}")
