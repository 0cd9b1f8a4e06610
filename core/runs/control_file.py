"""control.json: requests to a run, read and changed under a lock.

Pages, the command line and other machines' viewers ask; the worker only reads. It also keeps where
the run's own data was read from (`read_data_roots`).
"""

import threading
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from core.common.json_types import is_list
from core.data.sources.paths import roots_for
from core.runs.files import CONTROL_LOCK, read_json, take_lock, write_json

WAIT_S = 1.0
"""Changing takes milliseconds. Whoever holds the lock longer hangs, and must not forbid a stop."""
_thread_lock = threading.Lock()  # a lock of a file keeps other processes out, not our own threads


@contextmanager
def change_control(run_dir: Path) -> Generator[dict[str, Any]]:
    """Change what control.json says; it is written on leaving, and not where an error is raised.

    Raises OSError where the folder cannot be written.
    """
    path = Path(run_dir) / "control.json"
    with _thread_lock:
        lock = take_lock(path.with_name(CONTROL_LOCK), wait_s=WAIT_S)
        try:
            control = read_json(path)
            yield control
            write_json(path, control)
        finally:
            if lock:
                lock.close()


def read_data_roots(run_dir: Path) -> tuple[dict[str, Any], dict[str, str]]:
    """What control.json is to keep of it, and the variables that tell the worker.

    Raises OSError where there is no spec.json.
    """
    control, seal = read_json(run_dir / "control.json"), _seal(run_dir)
    stored = control.get("roots")
    before: list[Any] = stored if is_list(stored) and control.get("seal") == seal else []
    roots, variables = roots_for([name for name in before if isinstance(name, str)])
    return {"roots": roots, "seal": seal}, variables


def _seal(run_dir: Path) -> list[int]:
    """What a stranger who packs a folder, and names roots in it, cannot know of it unpacked."""
    stat = (run_dir / "spec.json").stat()
    return [stat.st_ino, stat.st_ctime_ns]
