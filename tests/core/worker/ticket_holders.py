"""Processes that stand in the queue of a machine, or hold what was granted, until ended."""

import os
import signal
from pathlib import Path

from core.worker import job_queue

HOLDERS: set[int] = set()


def holder(queue: Path, want: job_queue.ResourceRequest) -> tuple[int, int]:
    """A process that draws a ticket, asks once, and waits; its pid and what it was told."""
    told, tell = os.pipe()
    pid = os.fork()
    if not pid:
        try:
            ticket = job_queue.enqueue(queue, want)
            os.write(tell, str(job_queue.position(ticket)).encode() + b" " + ticket.gpu.encode())
            signal.pause()
        finally:
            os._exit(1)
    HOLDERS.add(pid)
    os.close(tell)
    place, _, gpu = os.read(told, 99).decode().partition(" ")
    os.close(told)
    assert gpu in ("", "0", "1")
    return pid, int(place)


def end(pid: int) -> None:
    HOLDERS.discard(pid)
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
