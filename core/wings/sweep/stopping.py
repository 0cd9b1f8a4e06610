"""Stopping a sweep: a request is a file; a second one ends its trials and its processes."""

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any

from core.common.errors import RunError, SweepError
from core.runs import listing
from core.runs.files import read_json
from core.wings.sweep import files
from core.wings.sweep.workers import processes
from core.worker import force, launch, supervisor

DRIVER_S = 1.0
"""Seconds for a process to note that its trials were ended, before it is ended itself."""


def stop(folder: Path) -> force.Answer:
    """Ask a sweep to stop its trials with checkpoints; a second request ends all, whatever it does.

    So does the first where the disk takes none, as one that is full, which takes no checkpoint.
    Returns which of the two happened. Raises SweepError, RunError, OSError.
    """
    if files.under_way(folder) and files.stop_asked(folder):
        return _end_now(folder)
    try:
        files.ask_stop(folder)
    except OSError:
        if not files.under_way(folder):
            raise
        return _end_now(folder)
    return "asked"


def _end_now(folder: Path) -> force.Answer:
    end_runs(runs_of(folder))

    def gone(seconds: float) -> bool:
        return force.within(seconds, lambda: not files.under_way(folder))

    if not gone(DRIVER_S):
        for process in processes(folder):
            force.end(process, gone)
    if files.under_way(folder):
        message = f"{folder.name} could not be ended: a process of it is not of this machine."
        raise SweepError(folder.name, message, "Stop it there with Ctrl-C.")
    return "ended"


def end_runs(run_dirs: Sequence[Path]) -> None:
    """End those of these runs that still train, all at once. Raises RunError."""
    firsts: dict[Any, Path] = {}
    for run_dir in filter(listing.alive, run_dirs):
        if not supervisor.unwanted(run_dir):
            with suppress(RunError):  # a full disk does not keep it from being ended
                launch.request(run_dir, "stop")
        firsts.setdefault(_process_of(read_json(run_dir / "proc.json")) or run_dir.name, run_dir)
    with ThreadPoolExecutor(max(1, len(firsts))) as pool:
        for _ in pool.map(launch.end_now, firsts.values()):
            pass


def _process_of(recorded: Mapping[str, Any]) -> int | None:
    """The process that a run shares with others that train together."""
    known = recorded.get("worker") or recorded.get("shim") or {}
    return known.get("pid")


def runs_of(folder: Path) -> list[Path]:
    """The runs that a sweep has made."""
    specs = folder.parents[1].glob("*/spec.json")
    own = [path.parent for path in specs if _names(read_json(path).get("sweep"), folder.name)]
    return [run_dir for run_dir in own if not run_dir.is_symlink()]


def _names(entry: Any, name: str) -> bool:
    return isinstance(entry, dict) and entry.get("name") == name
