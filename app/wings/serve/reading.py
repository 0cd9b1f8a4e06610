"""How the process that reads large requests is started."""

from core.wings.serve.apart import ONE_THREAD
from core.worker import child_process


def start_reading() -> "child_process.Process[bytes]":
    """Start it; `core.wings.serve.apart` talks to it."""
    return child_process.start(
        child_process.module("core.wings.serve.reading_process"),
        more=ONE_THREAD,
        stdin=child_process.PIPE,
        stdout=child_process.PIPE,
        stderr=None,
    )
