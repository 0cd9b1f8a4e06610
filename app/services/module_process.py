"""A module of Layerloom as a process of its own, which a page starts.

No module of the folder that the server was started in is imported (-P): people put there what
others sent them.
"""

import os
import subprocess
import sys
import threading
from collections.abc import Sequence
from pathlib import Path

from core.worker import warm_worker


def command(module: str, *words: str) -> list[str]:
    """The command line that runs a module."""
    return [sys.executable, "-P", "-m", module, *words]


def environment() -> dict[str, str]:
    """The environment that it runs in, by which it finds Layerloom."""
    roots = [str(warm_worker.ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]
    return os.environ | {"PYTHONPATH": os.pathsep.join(roots)}


def start_layerloom(words: Sequence[str], log: Path) -> "subprocess.Popen[bytes]":
    """Start `layerloom WORDS`, which outlives the server; it prints to `log`. Raises OSError."""
    with log.open("wb") as file:
        process = subprocess.Popen(
            command("app.cli", *words),
            env=environment(),
            stdin=subprocess.DEVNULL,
            stdout=file,
            stderr=file,
            start_new_session=True,
        )
    threading.Thread(target=process.wait, daemon=True).start()
    return process
