"""The node at which the newest run of a project diverged, for its mark on the canvas."""

from pathlib import Path
from typing import Any

from core.runs.files import read_json
from core.runs.listing import RunView, view_run

LOOKED_AT = 60  # folders: the mark is worth no more than a moment
Json = dict[str, Any]


def newest(runs_dir: Path, project: str) -> Json | None:
    """{"run", "node", "message"} if the newest run of `project` met a number that is not finite.

    None where it did not, where no block is to blame, or where that run is not among the newest.
    """
    for folder in _newest_first(runs_dir)[:LOOKED_AT]:
        if str(read_json(folder / "spec.json").get("project", "")) == project:
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
    dated: list[tuple[float, str, Path]] = []
    try:
        folders = list(runs_dir.iterdir())
    except (FileNotFoundError, NotADirectoryError):
        return []
    for folder in folders:
        try:
            when = (folder / "spec.json").stat().st_mtime
        except OSError:  # no run, or deleted meanwhile
            continue
        dated.append((when, folder.name, folder))
    return [folder for _, _, folder in sorted(dated, reverse=True)]
