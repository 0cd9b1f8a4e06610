"""The end of a process that trains: its threads and exit handlers come to theirs, C++ libraries do
not.

What such libraries clean up after Python has ended may abort the process, as threads of a process
group can, which passes for a fault of the run; and compilers fill log.txt with what they leave.
"""

import atexit
import os
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import NoReturn


def end_with(work: Callable[[], int]) -> NoReturn:
    """Do the work of this process and end it with the exit status that `work` returns, 1 where it
    raises; call it before other modules register exit handlers, as these are called before ours."""
    status = [1]
    atexit.register(lambda: _end(status[0]))
    status[0] = work()
    sys.exit(status[0])


def _end(status: int) -> None:
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            stream.flush()
    os._exit(status)
