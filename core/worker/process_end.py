"""The end of a process that trains: after its threads and exit handlers, before C++ libraries
clean up.

Their clean-up may abort the process, as a process group with a thread left can, and that would
pass for a fault of the run; or it fills log.txt with objects that a compiler did not free.
"""

import atexit
import os
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import NoReturn


def end_with(work: Callable[[], int]) -> NoReturn:
    """End this process with the exit status that `work` returns, 1 where it raises.

    Exit handlers registered during `work` run first, as Python calls the last registered one first.
    """
    status = [1]
    atexit.register(lambda: _end(status[0]))
    status[0] = work()
    sys.exit(status[0])


def _end(status: int) -> None:
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            stream.flush()
    os._exit(status)
