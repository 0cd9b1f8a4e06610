"""Views and lists of runs: `view_run`, `list_runs`. Reading changes nothing; no torch."""

import os
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import UnionType
from typing import Any

from core.common.json_types import is_dict, is_list, is_object
from core.runs import jsonl
from core.runs.comparability import JudgedOn, judged_on
from core.runs.damage import damage_of
from core.runs.files import BASELINE, RESERVE, read_json, read_status
from core.runs.order import newest_first
from core.runs.run_state import State, alive, run_state
from core.runs.status import LATE
from core.tasks.metric_labels import named_aims

DONE = ("finished", "stopped", "failed")
"""States that only somebody who starts the run again can change."""
ALIVE = ("queued", "running", "paused", "hung")
"""States of a run that may still train."""
NUMBER = int | float
Kind = type[Any] | UnionType | tuple[type[Any], ...]
"""What `isinstance` compares with."""
OBJECT_OR_NONE: Kind = (dict, type(None))
STATUS_FIELDS: Mapping[str, Kind] = {
    "attempt": int,
    "epoch": int,
    "step": int,
    "steps": int,
    "elapsed_s": NUMBER,
    "metrics": dict,
    "best": OBJECT_OR_NONE,
    "steps_per_s": NUMBER | None,
    "origin": OBJECT_OR_NONE,
    "skipped": int,
    "exploded": bool,
    "compiled": OBJECT_OR_NONE,
    "test": OBJECT_OR_NONE,
}
"""What a view takes from status.json as it is, and of what kind that is."""
MALFORMED = (AttributeError, TypeError, ValueError, OverflowError)
"""What reading files raises that no run of ours wrote."""
SETTLED_S = 3.0  # after which a change gets another time, on any disk
Stamp = tuple[tuple[int, int, int], ...]


@dataclass(frozen=True)
class RunView:
    """State and progress of a run. Times in seconds; `epoch` and `step` count what is complete.

    document: what names its project in the workbench, "" where that was not written down.
    metrics: last values by name; best: {"metric", "value", "epoch", "step", "metrics"} or None.
    exploded: whether all epochs are trained, yet the loss is far above that of the first step.
    compiled: {"from_step", "times"} where steps are compiled from one on, so many times as fast.
    test: {"metrics", "samples", "epoch", "times"} of the part kept apart, once a run has ended.
    disk_full: whether it waits for space on the disk, after which it goes on by itself.
    origin: where it began that a loss is no number: {"node", "step", "message"}. skipped: steps
    left out for that. branch: the run and the checkpoint it began with. aims: what metrics of
    several losses are of, in words (see `wording`). resumable: it has ended
    before its last epoch, and `control.resume` goes on. brought: the bundle that it came in, "" for
    a run of one's own: it has curves and best weights, and no state to resume. launcher: where it
    trains, as spec.json has it; None for one process of this machine. judged: on what. sweep: the
    name of the sweep that it is a trial of, "" for none.
    """

    dir: Path
    name: str
    state: State
    project_name: str = ""
    document: str = ""
    task: str = ""
    attempt: int = 0
    epoch: int = 0
    epochs: int = 0
    step: int = 0
    steps: int = 0
    elapsed_s: float = 0.0
    left_s: float | None = None
    steps_per_s: float | None = None
    metrics: Mapping[str, Any] = field(default_factory=lambda: {})
    best: Mapping[str, Any] | None = None
    message: str = ""
    hint: str = ""
    warnings: tuple[str, ...] = ()
    phase: str = ""
    device: str = ""
    origin: Mapping[str, Any] | None = None
    skipped: int = 0
    exploded: bool = False
    compiled: Mapping[str, Any] | None = None
    test: Mapping[str, Any] | None = None
    disk_full: bool = False
    branch: Mapping[str, Any] | None = None
    aims: Mapping[str, str] = field(default_factory=lambda: {})
    resumable: bool = False
    brought: str = ""
    launcher: Mapping[str, Any] | None = None
    created_s: float = 0.0
    judged: JudgedOn = field(default_factory=JudgedOn)
    sweep: str = ""


_CACHE: dict[Path, dict[Path, tuple[Stamp, RunView]]] = {}


def view_run(run_dir: Path) -> RunView:
    """Look at one run. A folder that is no run gives a view in state "lost"."""
    run_dir = Path(run_dir)
    try:
        return _view(run_dir)
    except MALFORMED:
        message, hint = f"{run_dir.name} is not a valid run folder.", "Delete the folder."
    except OSError as error:
        message = f"The files of {run_dir.name} cannot be read: {error.strerror or error}."
        hint = "Check the permissions of the folder."
    when = _created(run_dir)
    return RunView(run_dir, run_dir.name, "lost", message=message, hint=hint, created_s=when)


def _view(run_dir: Path) -> RunView:
    spec = read_json(run_dir / "spec.json")
    locked = alive(run_dir)
    status = read_status(run_dir)  # after the lock: the last word of a worker
    control = read_json(run_dir / "control.json")
    stale = status.get("attempt", 0) < control.get("attempt", 0)  # of which nothing was heard yet
    state, message, hint = run_state(run_dir, spec, {} if stale else status, locked)
    running, disk_waits = state == "running", locked and bool(status.get("disk_full"))
    return RunView(
        dir=run_dir,
        name=run_dir.name,
        state=state,
        project_name=str(spec.get("project", "")),
        document=str(spec.get("document", "")),
        task=str(spec.get("task", "")),
        epochs=int(spec.get("training", {}).get("epochs", 0)),
        left_s=_checked_type("left_s", status.get("left_s"), NUMBER | None) if running else None,
        message=message,
        hint=hint,
        warnings=(*(() if stale else status.get("warnings", ())), *damage_of(run_dir)),
        phase=str(status.get("phase", "")) if state == "queued" and not stale else "",
        device=str(status.get("device", "")),
        resumable=state in ("stopped", "failed", "crashed", "paused")
        and not disk_waits
        and not status.get("exploded")
        and not spec.get("brought"),
        brought=bundle_of(spec),
        sweep=sweep_of(spec),
        disk_full=disk_waits,
        created_s=_created(run_dir),
        branch=_checked_type("branch", spec.get("branch"), OBJECT_OR_NONE),
        launcher=_checked_type("launcher", spec.get("launcher"), OBJECT_OR_NONE),
        aims=named_aims(spec),
        judged=judged_on(spec, read_json(run_dir / BASELINE)),
        **_status_fields(status),
    )


def bundle_of(spec: Mapping[str, Any]) -> str:
    """The name of the bundle that a run came in, "" for a run of one's own."""
    brought = spec.get("brought")
    return str(brought.get("bundle", "")) if is_object(brought) else ""


def sweep_of(spec: Mapping[str, Any]) -> str:
    """The name of the sweep that a run is a trial of, "" for none."""
    entry = spec.get("sweep")
    return str(entry.get("name", "")) if is_object(entry) else ""


def _status_fields(status: Mapping[str, Any]) -> dict[str, Any]:
    """What a view takes as it is. Raises TypeError where that is of another kind."""
    fields = {key: status[key] for key in STATUS_FIELDS if key in status}
    for key, value in fields.items():
        _checked_type(key, value, STATUS_FIELDS[key])
    best: Mapping[str, Any] = fields.get("best") or {}
    test: Mapping[str, Any] = fields.get("test") or {}
    _checked_type("value", best.get("value"), NUMBER | None)
    tested = _checked_type("test", test.get("metrics", {}), dict)
    tables: list[Mapping[str, Any]] = [fields.get("metrics", {}), best.get("metrics", {}), tested]
    for table in tables:
        for key, value in table.items():
            _checked_type(key, value, NUMBER | None)
    return fields


def _checked_type(key: str, value: Any, kind: Kind) -> Any:
    if not isinstance(value, kind):
        raise TypeError(f"{key} is {value!r}")
    return value


def list_runs(runs_dir: Path) -> list[RunView]:
    """All runs of a folder, newest first. What has ended is read again only once it changes.

    A folder whose spec.json is gone is among them as long as a process works on it.
    """
    runs_dir = Path(runs_dir)
    cached, cache = _CACHE.get(runs_dir, {}), dict[Path, tuple[Stamp, RunView]]()
    views = list[RunView]()
    for folder in _folders(runs_dir):
        stamp = _stamp(folder)
        entry = cached.get(folder)
        view = entry[1] if stamp and entry and entry[0] == stamp else view_run(folder)
        views.append(view)
        if stamp and view.state in DONE:
            cache[folder] = stamp, view
    _CACHE[runs_dir] = cache
    named = {view.name: view for view in views}
    return [named[n] for n in newest_first({n: view.created_s for n, view in named.items()})]


def _folders(runs_dir: Path) -> list[Path]:
    try:
        with os.scandir(runs_dir) as entries:
            folders = [Path(entry) for entry in entries if entry.is_dir(follow_symlinks=False)]
    except (FileNotFoundError, NotADirectoryError):
        return []
    return [folder for folder in folders if (folder / "spec.json").is_file() or alive(folder)]


def _stamp(run_dir: Path) -> Stamp | None:
    """What changes whenever a run does; None where it changed so lately that times say nothing.

    Files of a run are written by putting new ones in their place, which changes the folder's time;
    who starts a run writes control.json first. Others may write over what they see in a page.
    """
    try:
        stats = [path.stat() for path in (run_dir, run_dir / "spec.json", run_dir / "status.json")]
        stats += [
            path.stat() for path in (run_dir / RESERVE, run_dir / "metrics.jsonl") if path.exists()
        ]
    except OSError:
        return None
    if time.time() - stats[0].st_mtime < SETTLED_S:
        return None
    return tuple((each.st_ino, each.st_size, each.st_mtime_ns) for each in stats)


def _created(run_dir: Path) -> float:
    try:
        return (run_dir / "spec.json").stat().st_mtime
    except OSError:
        return 0.0


def running(runs_dir: Path) -> int:
    """How many runs of a folder have a living process."""
    try:
        return sum(alive(path) for path in Path(runs_dir).iterdir() if path.is_dir())
    except FileNotFoundError:
        return 0


def read_metrics(run_dir: Path, offset: int = 0) -> tuple[list[dict[str, Any]], int]:
    """Records after byte `offset`, and the byte to go on from.

    A reader starts over from 0 when the run's attempt has changed. An offset past the end, or
    inside a line, starts over by itself. Damaged lines come as {"kind": "damaged"}.
    """
    path = Path(run_dir) / "metrics.jsonl"
    try:
        if offset > path.stat().st_size:
            offset = 0
    except FileNotFoundError:
        return [], 0
    return jsonl.read(path, offset, jsonl.is_curve)


def read_events(run_dir: Path) -> list[dict[str, Any]]:
    """The events of a run, oldest first; last those that did not fit into events.jsonl yet."""
    late = read_status(Path(run_dir)).get(LATE)
    waiting = [each for each in late if is_dict(each)] if is_list(late) else []
    return [*jsonl.read(Path(run_dir) / "events.jsonl")[0], *waiting]
