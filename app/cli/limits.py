"""Time limit for own Python of a project in a command, the same as on the canvas."""

import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from os import _exit as leave
from typing import TYPE_CHECKING, Any

from app.cli import output

if TYPE_CHECKING:
    from core.project import Project

LIMIT_S = 10.0  # on a quiet machine; on a busy one as much more as it is slower


@contextmanager
def limited(project: "Project", as_json: bool = False) -> Iterator[None]:
    """End the command with status 1 and a sentence where trusted own Python takes too long.

    The process ends at once, as code that loops may catch whatever is raised in it.
    """
    blocks = own_blocks(project)
    if not blocks or threading.current_thread() is not threading.main_thread():
        yield
        return
    from app.process.pool import busy

    began = time.monotonic()

    def look(*_: Any) -> None:
        limit = LIMIT_S * busy()
        if (left := began + limit - time.monotonic()) > 0:
            signal.setitimer(signal.ITIMER_REAL, left)
            return
        status = output.report(overrun(limit, blocks), as_json)
        sys.stdout.flush()
        leave(status)

    before = signal.signal(signal.SIGALRM, look)
    timer = signal.setitimer(signal.ITIMER_REAL, LIMIT_S)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
        signal.setitimer(signal.ITIMER_REAL, *timer)


def own_blocks(project: "Project") -> list[str]:
    """Names of the blocks whose own Python this user trusts, so that it is executed."""
    from core.files.trust import trusted

    parts = project.graph.composites.items()
    return sorted(name for name, part in parts if part.python and trusted(part.python))


def overrun(limit_s: float, blocks: list[str]) -> output.Failed:
    """The error of a check that ran past its time limit, in the canvas's words."""
    from app.process import custom_code, pool

    message = f"{pool.CHECK} took longer than {limit_s:.3g} s and was stopped."
    return output.Failed(message, custom_code.HINT.format(", ".join(blocks)))
