"""The state of a run from its locks, heartbeat and exit record, never from a pid. No torch."""

import shutil
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

from core.runs import checkpoint_records, full_disk
from core.runs.files import (
    RANKS,
    RESERVED_BYTES,
    SHIM_LOCK,
    WORKER_LOCK,
    boot_id,
    is_locked,
    read_json,
)

State = Literal[
    "queued", "running", "paused", "finished", "stopped", "failed", "crashed", "hung", "lost"
]
ENDED = ("finished", "stopped", "failed", "paused")
"""The last states of a worker."""
SILENT_S = 60.0  # heartbeat age on another machine's clock, from file times
BEGIN_S = 60.0  # until when a new or resumed run has a process, if it ever does


def alive(run_dir: Path) -> bool:
    """Whether a process works on the run: its supervisor or its worker holds a lock."""
    return is_locked(run_dir / SHIM_LOCK) or is_locked(run_dir / WORKER_LOCK)


def run_state(
    run_dir: Path, spec: Mapping[str, Any], status: Mapping[str, Any], locked: bool
) -> tuple[State, str, str]:
    """State of a run, with a sentence and a hint where something is wrong."""
    reported = status.get("state", "")
    if not spec and locked:
        message = f"spec.json of {run_dir.name} cannot be read, but its process is still running."
        return _locked_state(run_dir, status)[0], message, "Stop it; its checkpoints stay."
    if not spec:
        return "lost", f"{run_dir.name} has no readable spec.json.", "Delete the folder."
    if locked:
        return _locked_state(run_dir, status)
    if reported in ENDED and not status.get("disk_full"):
        return reported, str(status.get("message", "")), str(status.get("hint", ""))
    if not status and (unbegun := _unstarted_state(run_dir)):
        return unbegun
    end = read_json(run_dir / "exit.json")
    if end.get("withdrawn"):
        return "stopped", "It was stopped before its turn in the queue came.", ""
    if why := end.get("unbegun"):
        return "failed", f"The training process could not be started: {why}.", "Resume tries again."
    return "crashed", exit_sentence(end), resume_hint(run_dir)


def _unstarted_state(run_dir: Path) -> tuple[State, str, str] | None:
    """How a run stands that no process has taken yet; None where one has."""
    control = read_json(run_dir / "control.json")
    if refusal := control.get("refused"):
        return "failed", str(refusal.get("message", "")), str(refusal.get("hint", ""))
    attempt = control.get("attempt", 0)
    proc = read_json(run_dir / "proc.json")
    if proc and proc.get("attempt", attempt) >= attempt:
        return None
    if control.get("want") == "stop":
        return "stopped", "It was stopped before it began.", ""
    if _seconds_since_request(run_dir, control) <= BEGIN_S:
        return "queued", "", ""
    message = f"{run_dir.name} was never started: the process that starts it ended first."
    return "failed", message, "Resume starts it."


def _seconds_since_request(run_dir: Path, control: Mapping[str, Any]) -> float:
    """Seconds since a run was requested, by the monotonic clock where it is the same."""
    if control.get("boot") and control["boot"] == boot_id():
        return time.monotonic() - float(control.get("asked_s", 0.0))
    try:
        written_s = (run_dir / ("control.json" if control else "spec.json")).stat().st_mtime
    except OSError:
        return 0.0
    return abs(time.time() - written_s)  # a clock that was set back says nothing of how long


def _locked_state(run_dir: Path, status: Mapping[str, Any]) -> tuple[State, str, str]:
    """A process has it: waiting, working, or silent for too long."""
    silent = _silent_s(run_dir, status)
    if status and silent > float(status.get("hang_after_s", SILENT_S)):
        message = f"{_who_is_silent(run_dir)} has not reported for {silent:.0f} s."
        return "hung", message, "Stop it, then resume from its last checkpoint."
    reported = status.get("state", "")
    if status.get("disk_full"):
        return "paused", str(status.get("message", "")), str(status.get("hint", ""))
    if reported == "paused" and status.get("waits"):
        return (
            "queued",
            "Waits for free processors: other processes took them while it was paused.",
            "",
        )
    if reported in ("running", "paused"):
        return reported, str(status.get("message", "")), ""
    if status and reported != "starting":
        return "running", "", ""
    if full := _full_sentence(run_dir):
        return "queued", full, "Free some space, or stop it."
    return "queued", _queue_sentence(run_dir), ""


def _who_is_silent(run_dir: Path) -> str:
    """The run, or the rank that the others of the run wait for."""
    records = [read_json(path) for path in sorted((run_dir / RANKS).glob("[0-9]*.json"))]
    working = [record for record in records if "rank" in record and not record.get("waits")]
    if len(records) > 1 and len(working) == 1:
        return f"Rank {working[0]['rank']} of {run_dir.name}"
    return run_dir.name


def _full_sentence(run_dir: Path) -> str:
    """That a run may be unable to say how it stands, as its disk has no room left."""
    try:
        if shutil.disk_usage(run_dir).free >= RESERVED_BYTES:
            return ""
        return f"The disk is full, so the run cannot begin: {full_disk.room(run_dir)}"
    except OSError:
        return ""


def _queue_sentence(run_dir: Path) -> str:
    """Why a run has not begun: its position in a queue, "" if it is about to begin."""
    place = read_json(run_dir / "place.json")
    position = place.get("place", 0)
    if not position:
        return str(place.get("message", ""))
    before = "next" if position == 1 else f"number {position}"
    return f"Waits for a free processor: {before} in the queue of this machine."


def _silent_s(run_dir: Path, status: Mapping[str, Any]) -> float:
    """Seconds since the last heartbeat, by the machine's steady clock where it is the same."""
    if status.get("boot") and status["boot"] == boot_id():
        return max(0.0, time.monotonic() - float(status.get("monotonic_s", 0.0)))
    try:
        age = time.time() - (run_dir / "status.json").stat().st_mtime
    except OSError:
        return 0.0
    return max(0.0, age - SILENT_S)


def exit_sentence(end: Mapping[str, Any]) -> str:
    """How the worker died, from its exit record."""
    if not end:
        return "The training process and its supervisor ended without reporting why."
    number = end.get("signal")
    if isinstance(end.get("rank"), int):
        return _rank_sentence(end)
    if number == 9 and end.get("oom_kills"):
        return "The system ended the training process because memory ran out."
    if number:
        names = {9: "was killed", 11: "crashed in native code", 15: "was terminated"}
        return f"The training process {names.get(number, 'was ended')} (signal {number})."
    return f"The training process ended with status {end.get('code')}; log.txt has the details."


def _rank_sentence(end: Mapping[str, Any]) -> str:
    """How the rank died that ended a run on several processes."""
    number, again = end.get("signal"), end.get("restarts", 0)
    how = f"(signal {number})" if number else f"with status {end.get('code')}"
    what = f"Rank {end['rank']} ended {how}"
    if not again:
        return f"{what}."
    times = "once" if again == 1 else f"{again} times"
    return f"{what}; the run was started again {times}, the last ones without a new checkpoint."


def resume_hint(run_dir: Path) -> str:
    """What resuming would go on from."""
    last = checkpoint_records.recorded(run_dir, "last")
    if not last:
        return "Resume starts it again from the beginning."
    return f"Resume continues from step {last['step']}."
