"""A spare process that imports torch before the user starts an import."""

import logging
import threading

from app.process.pool import PoolError, WorkerProcess, work
from app.wings.importing import calls

_LOG = logging.getLogger(__name__)
KEPT_S = 120.0
"""Seconds that it waits for an import after the last choice of a model."""
_lock = threading.Lock()
_ready: WorkerProcess | None = None
_end: threading.Timer | None = None


def warm() -> None:
    """Start one in the background, if there is none."""
    global _ready, _end
    with _lock:
        if _end is not None:
            _end.cancel()
        if _ready is None:
            _ready = new()
            threading.Thread(target=_load, args=(_ready,), daemon=True).start()
        _end = threading.Timer(KEPT_S, close)
        _end.daemon = True
        _end.start()


def take() -> WorkerProcess:
    """The one that is ready, or a new one; it is the caller's from now on."""
    return _taken() or new()


def close() -> None:
    """End the spare process."""
    process = _taken()
    if process is not None:
        process.close()


def new() -> WorkerProcess:
    """A process that starts now."""
    process = WorkerProcess("The import")
    process.warm()
    return process


def _taken() -> WorkerProcess | None:
    global _ready, _end
    with _lock:
        process, _ready = _ready, None
        if _end is not None:
            _end.cancel()
            _end = None
    return process


def _load(process: WorkerProcess) -> None:
    try:
        work(process, calls.preload_import, timeout_s=60)
    except (PoolError, RuntimeError) as error:  # ended before it was ready; an import would say so
        _LOG.info("the spare process: %s", error)
