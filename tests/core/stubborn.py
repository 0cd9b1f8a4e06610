"""Processes that have a lock and ignore what they are asked, for tests that end them."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from core.worker import supervisor

IGNORES = (
    "import fcntl, signal, sys; f = open(sys.argv[1], 'ab'); getattr(fcntl, sys.argv[2])(f, "
    "fcntl.LOCK_EX); signal.signal(signal.SIGTERM, signal.SIG_IGN); print(1, flush=True); "
    "sys.stdin.read()"
)


@contextmanager
def stubborn(lock: Path, how: str = "lockf") -> Iterator[dict[str, Any]]:
    """A process that has a lock, by its number and start time. how: lockf, or flock."""
    command = [sys.executable, "-I", "-S", "-c", IGNORES, str(lock), how]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:
        assert child.stdout
        assert child.stdout.read(1) == b"1"
        yield supervisor.identity(child.pid)
        child.kill()
