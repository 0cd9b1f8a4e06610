"""Start, stop, pause and resume runs: requests are files, which outlive any page and server."""

import json
import os
import signal
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from errno import ETIMEDOUT
from functools import partial
from pathlib import Path
from typing import Any, Literal

from core.common.device import cuda_index, other_gpu, wants_cuda
from core.common.errors import RunError
from core.files.safe_path import read_file
from core.runs import checkpoint, control_file, full_disk, listing
from core.runs.checkpoint_choice import whole_checkpoint_of
from core.runs.control_file import change_control
from core.runs.files import (
    TOGETHER,
    WORKER_LOCK,
    boot_id,
    is_locked,
    read_json,
    read_status,
    threads_of,
    write_json,
)
from core.runs.full_disk import is_full
from core.runs.run_state import ENDED
from core.settings.launcher import (
    KEY,
    RANKED,
    Launcher,
    Sharding,
    check_divides,
    check_sharding,
    is_elsewhere,
)
from core.worker import child_process, force, launchers, processes, supervisor, warm_worker
from core.worker.launcher_trust import check_trusted
from core.worker.machine import queue_folder

Want = Literal["run", "stop", "pause"]
SUPERVISOR = Path(supervisor.__file__)
START_S = 20.0
START_HINT = "Check the free disk space and the permissions of the folder."
HUNG_GRACE_S = 5.0


def start(run_dir: Path, which: str = "last") -> None:
    """Start a prepared run, or a new attempt of one, in a process of its own.

    which: the checkpoint it goes on from, if there is one; "start" ignores all.
    Returns when the process is there. Raises RunError when the run has one already.
    """
    start_all([run_dir], which)


def start_all(run_dirs: Sequence[Path], which: str = "last", how: str = "auto") -> None:
    """Start one run, or several that train together in one process; like `start`.

    how: whether the steps of several are compiled, "auto" or "on". A run whose steps were made with
    those of others goes on so, alone if need be: to the bit as with them.
    """
    run_dirs = [Path(run_dir).resolve() for run_dir in run_dirs]
    first, spec = run_dirs[0], read_json(run_dirs[0] / "spec.json")
    for run_dir in run_dirs:
        if not read_json(run_dir / "spec.json"):
            message = f"{run_dir.name} has no readable spec.json."
            raise RunError(run_dir.name, message, "Train the project again.")
        if listing.alive(run_dir):
            raise _already_running(run_dir)
    launcher = Launcher.read(spec)
    check_trusted(first.name, launcher)
    launchers.check_here(launcher)
    attempts = [_next_count(read_status(run_dir), "attempt") for run_dir in run_dirs]
    now = {"boot": boot_id(), "asked_s": round(time.monotonic(), 3)}
    try:
        roots, variables = control_file.read_data_roots(first)
        for run_dir, attempt in zip(run_dirs, attempts, strict=True):
            with change_control(run_dir) as control:
                due = {"kept": control.get("save", 0)}  # a checkpoint requested from here on is due
                request = {"attempt": attempt, "from": which, "refused": None, **due, **now}
                control.pop("forced", None)
                _set_request(control, "run", **request, **roots)
        job: dict[str, Any] = {"run_dir": str(first), "attempt": attempts[0]}
        if len(run_dirs) > 1 or (which != "start" and read_json(first / TOGETHER).get("compiled")):
            others = [str(run_dir) for run_dir in run_dirs[1:]]
            job |= {"with": others, "attempts": attempts[1:]}
            job["command"] = warm_worker.together_command([str(first), *others], how)
        status = _launch(job, spec, variables)
    except OSError as error:
        raise _start_refused(first, error.strerror or str(error), is_full(error)) from error
    if status == supervisor.BUSY:
        raise _already_running(first)
    if status != 0:
        number = status - supervisor.ERROR
        reason = os.strerror(number) if number > 0 else f"status {status}"
        raise _start_refused(first, reason, number in full_disk.FULL)


def _start_refused(run_dir: Path, why: str, full: bool) -> RunError:
    """What is wrong with a start; the run keeps it, for whoever looks at it later."""
    message = f"The supervisor of {run_dir.name} did not start: {why}."
    hint = f"Free some space. {full_disk.room(run_dir)}" if full else START_HINT
    error = RunError(run_dir.name, message, hint)
    refused = {"message": error.message, "hint": error.hint}
    # on a full disk only its silence shows it, once that is long enough
    with suppress(OSError), change_control(run_dir) as control:
        control["refused"] = refused
    return error


def _launch(job: dict[str, Any], spec: Mapping[str, Any], roots: Mapping[str, str]) -> int:
    """Give the run to the spare, or start its supervisor, which leaves us; returns the answer.

    roots: where own data is looked for, as environment variables. Raises OSError when that cannot
    be started or does not answer.
    """
    threads = threads_of(spec, Path(job["run_dir"]).name)
    env = {**warm_worker.environment(threads), **roots}
    job = {"command": warm_worker.worker_command(job["run_dir"]), **job, "env": env}
    job |= {"queue": queue_folder(), "threads": threads}
    device = str(spec.get("training", {}).get("device", "auto"))
    job |= {"gpu": wants_cuda(device), "gpu_index": cuda_index(device)}
    job |= {"other_gpu": other_gpu(device)}
    launcher = Launcher.read(spec)
    elsewhere = is_elsewhere(launcher.kind)
    ranks = _ranks_here(spec)
    if elsewhere:  # what trains is not of this machine, so it does not stand in its queue
        driver = launchers.starter_of(launcher).DRIVER
        job |= {"command": child_process.module(driver, job["run_dir"]), "queue": ""}
    elif ranks > 1:
        several = processes.needed().FOLDER
        job |= {"ranks": ranks, "threads": ranks * threads, "several": several}
    one = "with" not in job and ranks == 1 and not elsewhere
    status = warm_worker.claim(job) if one else None  # a spare takes one run, in one process
    if status is not None:
        return status
    del job["env"]
    command = child_process.alone(SUPERVISOR, json.dumps(job))
    with child_process.start(command, env=env) as process:
        try:
            return process.wait(START_S)
        except child_process.TimeoutExpired as error:
            process.kill()
            raise TimeoutError(ETIMEDOUT, f"no answer within {START_S:g} s") from error


def _ranks_here(spec: Mapping[str, Any]) -> int:
    """How many processes of this machine train a run that its supervisor starts."""
    launcher = Launcher.read(spec)
    return 1 if is_elsewhere(launcher.kind) else launcher.processes


def _already_running(run_dir: Path) -> RunError:
    return RunError(run_dir.name, f"{run_dir.name} is running already.", "Stop it first.")


def request(run_dir: Path, want: Want, **more: Any) -> None:
    """Ask the worker for something; it looks several times a second.

    control.json also says which attempt was started last (so that a status of an older one is
    known to be stale) and which checkpoint it goes on from. Raises RunError where it cannot be
    written.
    """
    if want not in ("run", "stop", "pause"):
        message = f"{want!r} is not a request to a run."
        raise RunError(Path(run_dir).name, message, "Request run, stop or pause.")
    with _writable(run_dir), change_control(run_dir) as control:
        _set_request(control, want, **more)


@contextmanager
def _writable(run_dir: Path) -> Iterator[None]:
    """Say in a sentence that a run's folder cannot be written. Raises RunError."""
    try:
        yield
    except OSError as error:
        name = Path(run_dir).name
        message = (
            f"The request could not be written to the folder of {name}: {error.strerror or error}."
        )
        hint = (
            ("Free some space; stopping works without it.")
            if is_full(error)
            else "Check the permissions of the folder."
        )
        raise RunError(name, message, hint) from error


def _set_request(control: dict[str, Any], want: Want, **more: Any) -> None:
    control |= {"seq": _next_count(control, "seq"), "want": want, **more}


def _next_count(record: Mapping[str, Any], name: str) -> int:
    """One more than a count in a file, which may hold anything where others wrote it."""
    value = record.get(name)
    return value + 1 if isinstance(value, int) else 1


def stop(run_dir: Path, grace_s: float | None = None) -> force.Answer:
    """Ask a run to stop with a checkpoint; a second request ends it, whatever it does.

    Returns which of the two happened. A run that no longer answers is given five seconds, as is
    any with `grace_s`; a pause that nobody holds any more ends. Where its folder cannot be written,
    as on a full disk, it is told by a signal. Raises RunError where it cannot be told at all.
    """
    run_dir = Path(run_dir)
    if grace_s is None and supervisor.unwanted(run_dir) and listing.alive(run_dir):
        return end_now(run_dir)
    if grace_s is None and listing.view_run(run_dir).state == "hung":
        grace_s = HUNG_GRACE_S
    try:
        request(run_dir, "stop")
    except RunError:
        if not kill(run_dir, signal.SIGTERM):
            raise
    if listing.view_run(run_dir).state == "paused" and not is_locked(run_dir / WORKER_LOCK):
        with _writable(run_dir):
            stopped = {**read_status(run_dir), "state": "stopped"}
            write_json(run_dir / "status.json", stopped)
    if grace_s is not None and not wait(run_dir, grace_s):
        _end_by_force(run_dir, grace_s)
        return "ended"
    return "asked"


def before_first_step(run_dir: Path) -> bool:
    """Whether a process has a run and has not begun to train, so that ending it loses nothing."""
    return listing.alive(Path(run_dir)) and _is_unbegun(Path(run_dir))


def _is_unbegun(run_dir: Path) -> bool:
    status = read_status(run_dir)
    attempt = read_json(run_dir / "control.json").get("attempt", 0)
    return status.get("attempt", 0) < attempt or status.get("state") == "starting"


def _end_by_force(run_dir: Path, grace_s: float) -> None:
    kill(run_dir, signal.SIGTERM)
    if not wait(run_dir, grace_s):
        force.end_family(read_json(run_dir / "proc.json"), partial(wait, run_dir))


def end_now(run_dir: Path) -> force.Answer:
    """End a run that a stop has been asked of before; "asked" where it ends in order after all."""
    elsewhere = _is_elsewhere(run_dir)
    if not elsewhere and wait(run_dir, force.ASK_S):
        return "asked"
    others = _sharing(run_dir)
    with suppress(RunError), _writable(run_dir), change_control(run_dir) as control:
        control["forced"] = True
    _end_by_force(run_dir, force.ELSEWHERE_S if elsewhere else force.TERM_S)
    if listing.alive(run_dir):
        message = f"{run_dir.name} could not be ended: its process is not of this machine or user."
        raise RunError(run_dir.name, message, "End it where it was started.")
    if _ended_in_order(run_dir):
        return "asked"
    _note_forced(run_dir, force.FORCED)
    for other in others:
        if not listing.alive(other) and not _ended_in_order(other):
            _note_forced(other, force.OF_ANOTHER.format(name=run_dir.name))
    return "ended"


def _is_elsewhere(run_dir: Path) -> bool:
    try:
        return is_elsewhere(Launcher.read(read_json(run_dir / "spec.json")).kind)
    except RunError:  # a damaged spec.json must not stand in the way of a stop
        return False


def _ended_in_order(run_dir: Path) -> bool:
    """Whether the worker itself reported the end of the present attempt."""
    state = read_status(run_dir).get("state")
    return not _is_unbegun(run_dir) and state in ENDED and state != "paused"


def _note_forced(run_dir: Path, message: str) -> None:
    """Leave a run that was ended by force as stopped, with the cause."""
    early = message == force.FORCED and _is_unbegun(run_dir)
    if early:
        message = f"{message[:-1]}{force.BEFORE_FIRST_STEP}."
    attempt = read_json(run_dir / "control.json").get("attempt", 0)
    status = {**read_status(run_dir), "attempt": attempt, "state": "stopped"}
    with _writable(run_dir):
        write_json(run_dir / "status.json", {**status, "message": message, "hint": ""})


def _sharing(run_dir: Path) -> list[Path]:
    """Other runs that the process of a run trains."""
    mine = read_json(run_dir / "proc.json").get("worker")
    others = [path.parent for path in run_dir.parent.glob("*/proc.json") if path.parent != run_dir]
    return [each for each in others if mine and read_json(each / "proc.json").get("worker") == mine]


def pause(run_dir: Path) -> None:
    """Ask a run to wait with everything kept; `resume` goes on."""
    if not listing.alive(run_dir):
        name = Path(run_dir).name
        hint = "Resume it first." if listing.view_run(run_dir).resumable else ""
        raise RunError(name, f"{name} is not running, so it cannot pause.", hint)
    with _writable(run_dir), change_control(run_dir) as control:
        if control.get("want") == "stop":
            name = Path(run_dir).name
            message = f"{name} is already stopping, so it cannot pause."
            raise RunError(name, message, "Resume it once it has stopped.")
        _set_request(control, "pause")


def request_checkpoint(run_dir: Path) -> None:
    """Ask a run for a checkpoint now; it goes on. Raises RunError where no process has it."""
    run_dir = Path(run_dir)
    if not listing.alive(run_dir):
        message = f"{run_dir.name} is not running, so there is no new checkpoint to save."
        raise RunError(run_dir.name, message)
    with _writable(run_dir), change_control(run_dir) as control:
        _set_request(control, control.get("want", "run"), save=_next_count(control, "save"))


def resume(
    run_dir: Path,
    which: str = "last",
    processes: int | None = None,
    sharding: Sharding | None = None,
    launcher: Launcher | None = None,
) -> None:
    """Go on: at once where the run is paused, else in a new attempt from a checkpoint.

    which: "start", or a checkpoint as `whole_checkpoint_of` takes it: last, previous, best, a kept
    epoch, or a step. Without any checkpoint it begins again. processes: how many share its steps
    from here on, None for as many as before; sharding: what each keeps of the weights; launcher:
    where it trains from here on, with their number and sharding, None for where it trained before.
    Raises TrainingError where they cannot; CheckpointError naming another checkpoint when the one
    asked for is damaged; RunError when the run has finished or is running.
    """
    run_dir = Path(run_dir)
    if which not in ("last", "start"):
        which = whole_checkpoint_of(run_dir, which)
    view = listing.view_run(run_dir)
    if view.brought:
        message = (
            f"{run_dir.name} was imported from {view.brought} with its best weights"
            " only: it has no state "
        )
        message += "of the optimiser, so it cannot be resumed."
        raise RunError(run_dir.name, message, "Start a new run from its weights.")
    if listing.alive(run_dir):
        if view.disk_full:
            raise RunError(run_dir.name, view.message, view.hint)
        with _writable(run_dir), change_control(run_dir) as control:
            if control.get("want") != "pause" or processes or sharding or launcher:
                raise _already_running(run_dir)
            _set_request(control, "run")  # it waits in the queue, or has not heard of the pause yet
        return
    if (view.state == "finished" or view.exploded) and which == "last":
        many = f"{view.epochs:,} epoch{'s' if view.epochs != 1 else ''}"
        message = f"{run_dir.name} has finished its {many}."
        hint = view.hint if view.exploded else "Train again with more epochs."
        raise RunError(run_dir.name, message, hint)
    fresh = which == "last" and not (run_dir / "ckpt" / "last.pt").exists()
    if which != "start" and not fresh:
        checkpoint.verify(run_dir, which)
    if launcher:
        check_trusted(run_dir.name, launcher)
        move(run_dir, launcher)
    elif processes or sharding:
        share(run_dir, processes, sharding)
    start(run_dir, which)


def share(run_dir: Path, processes: int | None, sharding: Sharding | None = None) -> None:
    """Let another number of processes share the steps of a run, from its next start.

    None: as before. Raises TrainingError where they cannot be shared equally, or not its weights.
    """
    before = Launcher.read(read_json(run_dir / "spec.json"))
    wanted = {"processes": processes, "sharding": sharding}
    move(run_dir, replace(before, **{key: value for key, value in wanted.items() if value}))


def move(run_dir: Path, launcher: Launcher) -> None:
    """Let a run train elsewhere, or on another number of processes, from its next start.

    Raises TrainingError where these cannot share its steps equally, or not its weights.
    """
    spec = read_json(run_dir / "spec.json")
    before, training = Launcher.read(spec), spec.get("training", {})
    check_divides(launcher.world, training)
    if launcher.sharding == "fsdp" and (before.sharding != "fsdp" or launcher.world > 1):
        check_sharding(launcher, training, source_of(run_dir))
    with _writable(run_dir):
        if several := processes.part():
            several.clear(run_dir)
        more = {RANKED: True} if max(before.world, launcher.world) > 1 else {}
        spec |= {KEY: launcher.as_spec(), **more}
        write_json(run_dir / "spec.json", spec, durable=True)


def source_of(run_dir: Path) -> str:
    """The network that a run trains. Raises RunError."""
    try:
        return read_file(run_dir / "model.py").decode()
    except (OSError, UnicodeDecodeError) as error:
        message = f"{run_dir.name} has no readable file model.py, the source that it trains."
        raise RunError(run_dir.name, message, "Train the project again.") from error


def wait(run_dir: Path, timeout_s: float = 60.0) -> bool:
    """Wait until no process works on the run; False when the time is over first."""
    return force.within(timeout_s, lambda: not listing.alive(Path(run_dir)))


def kill(run_dir: Path, number: int) -> bool:
    """Signal a run's worker: only the very process proc.json speaks of, only while locks are held.

    SIGTERM goes to the supervisor, which passes it on, or to the worker where that is gone; SIGKILL
    to the worker. Returns whether there was one to signal.
    """
    proc = read_json(Path(run_dir) / "proc.json")
    names = ("worker",) if number == signal.SIGKILL else ("shim", "worker")
    if not listing.alive(run_dir):
        return False
    return any(force.send(proc.get(name, {}), number) for name in names)
