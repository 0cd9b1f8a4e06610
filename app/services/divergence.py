"""The node at which the run that is shown diverged, for its mark on the canvas."""

from pathlib import Path
from typing import Any

from core.runs.files import read_json
from core.runs.listing import RunView, view_run
from core.runs.order import newest_first

LOOKED_AT = 60  # folders: the mark is worth no more than a moment
Json = dict[str, Any]


def newest(runs_dir: Path, project: str, named: str = "") -> Json | None:
    """{"run", "node", "message"} if a run of `project` met a number that is not finite: the run
    `named`, else the newest that is no trial of a sweep.

    None where it did not, where no block is to blame, or where that run is not among the newest.
    """
    for folder in [runs_dir / named] if named else _newest_first(runs_dir)[:LOOKED_AT]:
        spec = read_json(folder / "spec.json")
        if str(spec.get("project", "")) == project and (named or "sweep" not in spec):
            return fault_of(view_run(folder))
    return None


def fault_of(view: RunView) -> Json | None:
    """The same of one run."""
    origin = view.origin or {}
    node, message = origin.get("node"), origin.get("message")
    if view.state != "failed" or not isinstance(node, str) or not node:
        return None
    return {"run": view.name, "node": node, "message": str(message or "")}


def _newest_first(runs_dir: Path) -> list[Path]:
    """The folders of runs, by when they were made."""
    made_s = dict[str, float]()
    try:
        folders = list(runs_dir.iterdir())
    except (FileNotFoundError, NotADirectoryError):
        return []
    for folder in folders:
        try:
            made_s[folder.name] = (folder / "spec.json").stat().st_mtime
        except OSError:  # no run, or deleted meanwhile
            continue
    return [runs_dir / name for name in newest_first(made_s)]
