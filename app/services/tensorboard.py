"""TensorBoard on runs: a process for each that is looked at, which ends with the server."""

import threading
from importlib.util import find_spec
from pathlib import Path

from app.services import module_process
from core.common.errors import RunError
from core.worker import child_process

MOST = 4
"""As many at once, of 0.2 GB each; one more ends the oldest."""
_lock = threading.Lock()
_boards: dict[Path, tuple["child_process.Process[str]", str]] = {}
"""By run: its process and its address, oldest first."""


def unavailable(run: Path) -> str:
    """Why there is nothing to open of a run, in a sentence; "" where there is."""
    if find_spec("tensorboard") is None:
        return "TensorBoard is not installed here: pip install tensorboard."
    if not any((run / "tensorboard").glob("events*")):
        return (
            "This run has written nothing for TensorBoard. Runs write from their first step "
            "if tensorboardX is installed."
        )
    return ""


def address(run: Path) -> str:
    """Where TensorBoard serves a run, "" where it does not."""
    process, where = _boards.get(run, (None, ""))
    return where if process is not None and process.poll() is None else ""


def begin(run: Path) -> str:
    """Start TensorBoard on a run, unless it is there; its address. Raises RunError."""
    with _lock:
        if where := address(run):
            return where
        for oldest in list(_boards)[: len(_boards) - MOST + 1]:
            _end(oldest)
        process = _started(run)
        assert process.stdout is not None
        where = process.stdout.readline().strip()
        _boards[run] = process, where
        if not where:
            _end(run)
            hint = "layerloom doctor shows what is installed."
            raise RunError(run.name, "TensorBoard ended before it was ready.", hint)
        return where


def end(run: Path) -> None:
    """End TensorBoard on a run, if it is there."""
    with _lock:
        _end(run)


def close() -> None:
    """End all; called when the server stops."""
    with _lock:
        for run in list(_boards):
            _end(run)


def _started(run: Path) -> "child_process.Process[str]":
    try:
        return module_process.start_tensorboard(run / "tensorboard")
    except OSError as error:
        message = f"TensorBoard did not start: {error.strerror or error}."
        raise RunError(run.name, message, "Close programs to free memory.") from error


def _end(run: Path) -> None:
    process, _ = _boards.pop(run, (None, ""))
    if process is None:
        return
    process.kill()
    process.wait()
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            pipe.close()
