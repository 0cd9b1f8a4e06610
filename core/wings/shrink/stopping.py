"""Stopping the process that makes tries: a request is a file; a second one ends it."""

import os
from pathlib import Path

from core.common.errors import RunError
from core.runs.files import read_json, write_json
from core.wings.shrink import files
from core.worker import force, supervisor

PROCESS = "process.json"


def write_process(run: Path) -> None:
    """Write down that this process makes tries of a run. Raises RunError, also where one does."""
    if is_alive(run):
        raise RunError(run.name, *busy(run))
    try:
        files.clear_stop(run)
        write_json(files.folder_of(run) / PROCESS, supervisor.identity(os.getpid()))
    except OSError as error:
        raise RunError(run.name, *files.unwritable(run, error)) from error


def busy(run: Path) -> tuple[str, str]:
    """What to say, and to do, where another process makes tries of a run."""
    return f"{run.name} is being compressed by another process.", "Wait for it, or stop it."


def is_alive(run: Path) -> bool:
    """Whether a process makes tries of a run, or begins to."""
    return files.is_running(run) or force.lives(read_json(files.folder_of(run) / PROCESS))


def stop(run: Path) -> force.Answer:
    """Ask it to end, with what is finished; a second request ends it, whatever it does.

    So does the first where the disk takes none. Returns which of the two happened. Raises RunError.
    """
    if not files.stop_requested(run):
        try:
            files.request_stop(run)
            return "asked"
        except OSError as error:
            if not is_alive(run):
                raise RunError(run.name, f"It cannot be stopped: {error.strerror}.") from error

    def gone(seconds: float) -> bool:
        return force.within(seconds, lambda: not is_alive(run))

    if not gone(force.ASK_S):
        force.end(read_json(files.folder_of(run) / PROCESS), gone)
    if is_alive(run):
        message = "It could not be ended: its process is not of this machine or user."
        raise RunError(run.name, message, "End it where it was started.")
    files.delete_unfinished(run)
    return "ended"
