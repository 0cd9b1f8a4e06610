"""What a run is asked for: control.json, read, changed and written by one at a time.

Pages, the command line and other machines' viewers ask; the worker only reads.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from core.runs.files import CONTROL_LOCK, read_json, take_lock, write_json

WAIT_S = 1.0
"""Changing takes milliseconds. Whoever holds the lock longer hangs, and must not forbid a stop."""
_ours = threading.Lock()  # a lock of a file keeps other processes out, not our own threads


@contextmanager
def change_control(run_dir: Path) -> Iterator[dict[str, Any]]:
    """Change what control.json says; it is written on leaving, and not where an error is raised.

    Raises OSError where the folder cannot be written.
    """
    path = Path(run_dir) / "control.json"
    with _ours:
        lock = take_lock(path.with_name(CONTROL_LOCK), wait_s=WAIT_S)
        try:
            control = read_json(path)
            yield control
            write_json(path, control)
        finally:
            if lock:
                lock.close()
