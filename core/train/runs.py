"""Reading runs: how each stands, told from lock, heartbeat and exit record, never from a pid.

A reader changes nothing. No torch is imported.
"""

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from . import record
from .folder import SHIM_LOCK, WORKER_LOCK, boot_id, is_locked, read_json

State = Literal[
    "queued", "running", "paused", "finished", "stopped", "failed", "crashed", "hung", "lost"
]
ENDED = ("finished", "stopped", "failed", "paused")
ALIVE = ("queued", "running", "paused", "hung")
"""States of a run that may still train."""
NUMBER = int | float
TOLD = {
    "attempt": int,
    "epoch": int,
    "step": int,
    "steps": int,
    "elapsed_s": NUMBER,
    "metrics": dict,
    "best": dict | None,
    "steps_per_s": NUMBER | None,
    "origin": dict | None,
    "skipped": int,
}
"""What a view takes from status.json as it is, and of what kind that is."""
STRANGE = (AttributeError, TypeError, ValueError, OverflowError)
"""What reading files raises that no run of ours wrote."""
SILENT_S = 60.0  # heartbeat age on another machine's clock, from file times
BEGIN_S = 60.0  # after which a run that was made or asked for has a process, or will have none


@dataclass(frozen=True)
class RunView:
    """How a run stands. Times in seconds; `epoch` and `step` count what is complete.

    metrics: last values by name; best: {"metric", "value", "epoch", "step", "metrics"} or None.
    origin: where it began that a loss is no number: {"node", "step", "message"}. skipped: steps
    left out for that. branch: the run and the checkpoint it began with. resumable: it has ended
    before its last epoch, and `control.resume` goes on.
    """

    dir: Path
    name: str
    state: State
    project_name: str = ""
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
    branch: Mapping[str, Any] | None = None
    resumable: bool = False
    created_s: float = 0.0


def view_run(run_dir: Path) -> RunView:
    """Look at one run. A folder that is no run gives a view in state "lost"."""
    run_dir = Path(run_dir)
    try:
        return _view(run_dir)
    except STRANGE:
        message, when = f"The files of {run_dir.name} are not those of a run.", _created(run_dir)
        hint = "Delete the folder."
        return RunView(run_dir, run_dir.name, "lost", message=message, hint=hint, created_s=when)


def _view(run_dir: Path) -> RunView:
    spec = read_json(run_dir / "spec.json")
    held = alive(run_dir)
    status = read_json(run_dir / "status.json")  # after the lock: the last word of a worker
    asked = read_json(run_dir / "control.json")
    stale = status.get("attempt", 0) < asked.get("attempt", 0)  # of which nothing was heard yet
    state, message, hint = verdict(run_dir, spec, {} if stale else status, held)
    return RunView(
        dir=run_dir,
        name=run_dir.name,
        state=state,
        project_name=str(spec.get("project", "")),
        task=str(spec.get("task", "")),
        epochs=int(spec.get("training", {}).get("epochs", 0)),
        left_s=status.get("left_s") if state == "running" else None,
        message=message,
        hint=hint,
        warnings=() if stale else tuple(status.get("warnings", ())),
        phase=str(status.get("phase", "")) if state == "queued" and not stale else "",
        device=str(status.get("device", "")),
        resumable=state in ("stopped", "failed", "crashed", "paused"),
        created_s=_created(run_dir),
        branch=spec.get("branch"),
        **_told(status),
    )


def _told(status: Mapping[str, Any]) -> dict[str, Any]:
    """What a view takes as it is. Raises TypeError where that is of another kind."""
    found = {key: status[key] for key in TOLD if key in status}
    for key, value in found.items():
        if not isinstance(value, TOLD[key]):
            raise TypeError(f"{key} is {value!r}")
    return found


def alive(run_dir: Path) -> bool:
    """Whether a process works on the run: its supervisor or its worker holds a lock."""
    return is_locked(run_dir / SHIM_LOCK) or is_locked(run_dir / WORKER_LOCK)


def verdict(
    run_dir: Path, spec: Mapping[str, Any], status: Mapping[str, Any], held: bool
) -> tuple[State, str, str]:
    """State of a run, with a sentence and a hint where something is wrong."""
    said = status.get("state", "")
    if not spec:
        return "lost", f"{run_dir.name} has no readable spec.json.", "Delete the folder."
    if held:
        return _living(run_dir, status)
    if said in ENDED:
        return said, str(status.get("message", "")), str(status.get("hint", ""))
    if not status and (unbegun := _unbegun(run_dir)):
        return unbegun
    end = read_json(run_dir / "exit.json")
    if end.get("withdrawn"):
        return "stopped", "It was stopped before its turn in the queue came.", ""
    if why := end.get("unbegun"):
        return "failed", f"The training process could not be started: {why}.", "Resume tries again."
    return "crashed", _how(run_dir, end), _offer(run_dir)


def _unbegun(run_dir: Path) -> tuple[State, str, str] | None:
    """How a run stands that no process has taken yet; None where one has."""
    asked = read_json(run_dir / "control.json")
    if refused := asked.get("refused"):
        return "failed", str(refused.get("message", "")), str(refused.get("hint", ""))
    attempt = asked.get("attempt", 0)
    proc = read_json(run_dir / "proc.json")
    if proc and proc.get("attempt", attempt) >= attempt:
        return None
    if asked.get("want") == "stop":
        return "stopped", "It was stopped before it began.", ""
    if _asked_ago(run_dir, asked) <= BEGIN_S:
        return "queued", "", ""
    message = f"{run_dir.name} was never started: what was to start it ended before."
    return "failed", message, "Resume starts it."


def _asked_ago(run_dir: Path, asked: Mapping[str, Any]) -> float:
    """Seconds since a run was asked for, by the steady clock where it is the same; else made."""
    if asked.get("boot") and asked["boot"] == boot_id():
        return time.monotonic() - float(asked.get("asked_s", 0.0))
    try:
        made = (run_dir / ("control.json" if asked else "spec.json")).stat().st_mtime
    except OSError:
        return 0.0
    return time.time() - made


def _living(run_dir: Path, status: Mapping[str, Any]) -> tuple[State, str, str]:
    """A process has it: waiting, working, or silent for too long."""
    silent = _silence(run_dir, status)
    if status and silent > float(status.get("hang_after_s", SILENT_S)):
        message = f"{run_dir.name} has been silent for {silent:.0f} s."
        return "hung", message, "Stop it, then resume from its last checkpoint."
    said = status.get("state", "")
    if said in ("running", "paused"):
        return said, str(status.get("message", "")), ""
    if status and said != "starting":
        return "running", "", ""
    return "queued", _turn(run_dir), ""


def _turn(run_dir: Path) -> str:
    """Why a run has not begun: its place in the queue, "" where it is about to."""
    place = read_json(run_dir / "place.json").get("place", 0)
    if not place:
        return ""
    before = "next" if place == 1 else f"number {place}"
    return f"Waits for a free processor: {before} in the queue of this machine."


def _silence(run_dir: Path, status: Mapping[str, Any]) -> float:
    """Seconds since the last heartbeat, by the machine's steady clock where it is the same."""
    if status.get("boot") and status["boot"] == boot_id():
        return max(0.0, time.monotonic() - float(status.get("monotonic_s", 0.0)))
    try:
        age = time.time() - (run_dir / "status.json").stat().st_mtime
    except OSError:
        return 0.0
    return max(0.0, age - SILENT_S)


def _how(run_dir: Path, end: Mapping[str, Any]) -> str:
    """How the worker died, from its exit record."""
    if not end:
        return "The training process and its supervisor are gone without a word."
    number = end.get("signal")
    if number == 9 and end.get("oom_kills"):
        return "The system ended the training process because memory ran out."
    if number:
        names = {9: "was killed", 11: "crashed in native code", 15: "was told to end"}
        return f"The training process {names.get(number, 'was ended')} (signal {number})."
    return f"The training process ended with status {end.get('code')}; log.txt has the details."


def _offer(run_dir: Path) -> str:
    """What resuming would go on from."""
    files = read_json(run_dir / "ckpt" / "manifest.json").get("files", [])
    last = [e for e in files if e.get("which") == "last"]
    if not last:
        return "Resume starts it again from the beginning."
    return f"Resume goes on from step {last[-1]['step']}."


def list_runs(runs_dir: Path) -> list[RunView]:
    """All runs of a folder, newest first."""
    try:
        folders = [path for path in Path(runs_dir).iterdir() if (path / "spec.json").is_file()]
    except (FileNotFoundError, NotADirectoryError):
        return []
    views = [view_run(path) for path in folders if not path.is_symlink()]
    return sorted(views, key=lambda view: (view.created_s, view.name), reverse=True)


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
    return record.read(path, offset)


def read_events(run_dir: Path) -> list[dict[str, Any]]:
    """What happened in a run, oldest first."""
    return record.read(Path(run_dir) / "events.jsonl")[0]
