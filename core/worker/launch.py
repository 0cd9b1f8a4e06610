"""Starting, stopping, pausing and going on: by files, which outlive any page and any server."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from errno import ETIMEDOUT
from pathlib import Path
from typing import Any, Literal

from core.errors import RunError
from core.runs import checkpoint, control_file, listing
from core.runs.control_file import change_control
from core.runs.files import WORKER_LOCK, boot_id, is_locked, read_json, read_status, write_json
from core.runs.full_disk import is_full
from core.worker import supervisor as shim
from core.worker import warm_worker
from core.worker.machine import queue_folder

Want = Literal["run", "stop", "pause"]
SHIM = Path(shim.__file__)
START_S = 20.0
HUNG_GRACE_S = 5.0


def start(run_dir: Path, which: str = "last") -> None:
    """Start a prepared run, or a new attempt of one, in a process of its own.

    which: the checkpoint it goes on from, if there is one; "start" ignores all.
    Returns when the process is there. Raises RunError when the run has one already.
    """
    run_dir = Path(run_dir).resolve()
    spec = read_json(run_dir / "spec.json")
    if not spec:
        message = f"{run_dir.name} has no readable spec.json."
        raise RunError(run_dir.name, message, "Train the project again.")
    if listing.alive(run_dir):
        raise _busy(run_dir)
    attempt = _next(read_status(run_dir), "attempt")
    now = {"boot": boot_id(), "asked_s": round(time.monotonic(), 3)}
    try:
        known, places = control_file.read_data_roots(run_dir)
        with change_control(run_dir) as control:
            kept = {"kept": control.get("save", 0)}  # a checkpoint asked for from here on is due
            more = {"attempt": attempt, "from": which, "refused": None, **kept, **now, **known}
            _ask(control, "run", **more)
        status = _launch(run_dir, spec, attempt, places)
    except OSError as error:
        raise _refused(run_dir, error.strerror or str(error)) from error
    if status == shim.BUSY:
        raise _busy(run_dir)
    if status != 0:
        said = os.strerror(status - shim.ERROR) if status > shim.ERROR else f"status {status}"
        raise _refused(run_dir, said)


def _refused(run_dir: Path, why: str) -> RunError:
    """What is wrong with a start; the run keeps it, for whoever looks at it later."""
    message = f"The supervisor of {run_dir.name} did not start: {why}."
    error = RunError(run_dir.name, message, "Check the space left and the folder's rights.")
    refused = {"message": error.message, "hint": error.hint}
    # on a full disk it is told by its silence, once that is long enough
    with suppress(OSError), change_control(run_dir) as control:
        control["refused"] = refused
    return error


def _launch(run_dir: Path, spec: Mapping[str, Any], attempt: int, places: Mapping[str, str]) -> int:
    """Give the run to the spare, or start its supervisor, which leaves us; returns the answer.

    places: where own data is looked for, as variables. Raises OSError when that cannot be started
    or does not answer.
    """
    threads = int(spec.get("threads", 1))
    env = {**warm_worker.environment(threads), **places}
    job = {"run_dir": str(run_dir), "command": warm_worker.worker_command(str(run_dir)), "env": env}
    job |= {"queue": queue_folder(), "threads": threads, "attempt": attempt}
    job |= {"gpu": spec.get("training", {}).get("device") != "cpu"}
    taken = warm_worker.claim(job)
    if taken is not None:
        return taken
    del job["env"]
    command = [sys.executable, "-I", "-S", str(SHIM), json.dumps(job)]
    nothing = subprocess.DEVNULL
    with subprocess.Popen(
        command, stdin=nothing, stdout=nothing, stderr=nothing, env=env, cwd="/"
    ) as supervisor:
        try:
            return supervisor.wait(START_S)
        except subprocess.TimeoutExpired as error:
            supervisor.kill()
            raise TimeoutError(ETIMEDOUT, f"no answer within {START_S:g} s") from error


def _busy(run_dir: Path) -> RunError:
    return RunError(run_dir.name, f"{run_dir.name} is running already.", "Stop it first.")


def request(run_dir: Path, want: Want, **more: Any) -> None:
    """Ask the worker for something; it looks several times a second.

    control.json also says which attempt was started last (so that a status of an older one is
    known to be stale) and which checkpoint it goes on from. Raises RunError where it cannot be
    written.
    """
    if want not in ("run", "stop", "pause"):
        message = f"A run cannot be asked to {want!r}."
        raise RunError(Path(run_dir).name, message, "Ask it to run, stop or pause.")
    with _writing(run_dir), change_control(run_dir) as control:
        _ask(control, want, **more)


@contextmanager
def _writing(run_dir: Path) -> Iterator[None]:
    """Say in a sentence that a run's folder cannot be written. Raises RunError."""
    try:
        yield
    except OSError as error:
        name = Path(run_dir).name
        message = f"{name} cannot be asked for anything: {error.strerror or error}."
        hint = "Free some space; stopping works without." if is_full(error) else "Check its folder."
        raise RunError(name, message, hint) from error


def _ask(control: dict[str, Any], want: Want, **more: Any) -> None:
    control |= {"seq": _next(control, "seq"), "want": want, **more}


def _next(found: Mapping[str, Any], name: str) -> int:
    """One more than a count in a file, which may hold anything where others wrote it."""
    value = found.get(name)
    return value + 1 if isinstance(value, int) else 1


def stop(run_dir: Path, grace_s: float | None = None) -> None:
    """Ask a run to stop with a checkpoint. With `grace_s`, end it by force after that time.

    A run that no longer answers is given five seconds; a pause that nobody holds any more ends.
    Where its folder cannot be written, as on a full disk, it is told by a signal. Raises RunError
    where it cannot be told at all.
    """
    if grace_s is None and listing.view_run(run_dir).state == "hung":
        grace_s = HUNG_GRACE_S
    try:
        request(run_dir, "stop")
    except RunError:
        if not kill(run_dir, signal.SIGTERM):
            raise
    if listing.view_run(run_dir).state == "paused" and not is_locked(Path(run_dir) / WORKER_LOCK):
        with _writing(run_dir):
            stopped = {**read_status(run_dir), "state": "stopped"}
            write_json(Path(run_dir) / "status.json", stopped)
    if grace_s is None or wait(run_dir, grace_s):
        return
    kill(run_dir, signal.SIGTERM)
    if not wait(run_dir, grace_s):
        kill(run_dir, signal.SIGKILL)
        wait(run_dir, grace_s)


def pause(run_dir: Path) -> None:
    """Ask a run to wait with everything kept; `resume` goes on."""
    if not listing.alive(run_dir):
        name = Path(run_dir).name
        hint = "Resume it first." if listing.view_run(run_dir).resumable else ""
        raise RunError(name, f"{name} is not running, so it cannot pause.", hint)
    with _writing(run_dir), change_control(run_dir) as control:
        if control.get("want") == "stop":
            name = Path(run_dir).name
            message = f"{name} is asked to stop already, so it cannot pause."
            raise RunError(name, message, "Resume it once it has stopped.")
        _ask(control, "pause")


def request_checkpoint(run_dir: Path) -> None:
    """Ask a run for a checkpoint now; it goes on. Raises RunError where no process has it."""
    run_dir = Path(run_dir)
    if not listing.alive(run_dir):
        message = f"{run_dir.name} is not running, so there is nothing new to keep."
        raise RunError(run_dir.name, message)
    with _writing(run_dir), change_control(run_dir) as control:
        _ask(control, control.get("want", "run"), save=_next(control, "save"))


def resume(run_dir: Path, which: str = "last") -> None:
    """Go on: at once where the run is paused, else in a new attempt from a checkpoint.

    which: "last", "previous" or "start". Without any checkpoint it begins again.
    Raises CheckpointError naming another checkpoint when the one asked for is damaged; RunError
    when the run has finished or is running.
    """
    run_dir = Path(run_dir)
    if which not in ("last", "previous", "start"):
        message = f"A run cannot go on from {which!r}."
        raise RunError(run_dir.name, message, 'Choose "last", "previous" or "start".')
    view = listing.view_run(run_dir)
    if listing.alive(run_dir):
        if view.disk_full:
            raise RunError(run_dir.name, view.message, view.hint)
        with _writing(run_dir), change_control(run_dir) as control:
            if control.get("want") != "pause":
                raise _busy(run_dir)
            _ask(control, "run")  # it waits in the queue, or has not heard of the pause yet
        return
    if (view.state == "finished" or view.exploded) and which == "last":
        many = f"{view.epochs:,} epoch{'s' if view.epochs != 1 else ''}"
        message = f"{run_dir.name} has finished its {many}."
        hint = view.hint if view.exploded else "Train again with more epochs."
        raise RunError(run_dir.name, message, hint)
    fresh = which == "last" and not (run_dir / "ckpt" / "last.pt").exists()
    if which != "start" and not fresh:
        checkpoint.verify(run_dir, which)
    start(run_dir, which)


def wait(run_dir: Path, timeout_s: float = 60.0) -> bool:
    """Wait until no process works on the run; False when the time is over first."""
    deadline = time.monotonic() + timeout_s
    while listing.alive(Path(run_dir)):
        if time.monotonic() > deadline:
            return False
        time.sleep(0.05)
    return True


def kill(run_dir: Path, number: int) -> bool:
    """Signal a run's worker: only the very process proc.json speaks of, only while locks are held.

    SIGTERM goes to the supervisor, which passes it on, or to the worker where that is gone; SIGKILL
    to the worker. Returns whether there was one to signal.
    """
    proc = read_json(Path(run_dir) / "proc.json")
    for name in ("worker",) if number == signal.SIGKILL else ("shim", "worker"):
        who: dict[str, Any] = proc.get(name, {})
        pid = who.get("pid")
        if isinstance(pid, int) and listing.alive(run_dir) and shim.identity(pid) == who:
            os.kill(pid, number)
            return True
    return False
