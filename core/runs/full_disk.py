"""A full disk: recognised among other errors, and waited for."""

import errno
import time
from collections.abc import Callable

from core.runs.status import Status

FULL = (errno.ENOSPC, errno.EDQUOT)
"""Errors that go away once somebody frees some space."""
SHORTEST_S, LONGEST_S = 0.2, 5.0
MESSAGE = "The disk is full, so the run waits: {}."
HINT = "Free some space and it goes on by itself; Stop ends it without a new checkpoint."


def is_full(error: OSError) -> bool:
    """Whether a write was refused for want of space, on the disk or in somebody's quota."""
    return error.errno in FULL


def of_full_disk(error: BaseException | None) -> bool:
    """Whether an error, or one that it was raised from, is that of a full disk."""
    while error is not None:
        if isinstance(error, OSError) and is_full(error):
            return True
        hidden = None if error.__suppress_context__ else error.__context__
        error = error.__cause__ or hidden
    return False


def wait_for_room(
    status: Status, file_words: str, retry: Callable[[], bool], unwanted: Callable[[], bool]
) -> bool:
    """Say that the disk is full until `retry` succeeds; False where the run is unwanted first.

    file_words: the file that could not be written, in words. The message is cleared afterwards.
    """
    before = {name: status.fields.get(name, "") for name in ("state", "message", "hint")}
    pause, done = SHORTEST_S, False
    while not (done or unwanted()):
        # it keeps its threads, as one that waits to go on does
        status.fields |= {"state": "paused", "waits": True, "disk_full": True}
        status.fields |= {"message": MESSAGE.format(file_words), "hint": HINT}
        status.write()
        end = time.monotonic() + pause
        while time.monotonic() < end and not unwanted():
            time.sleep(min(SHORTEST_S, pause))
        pause = min(2 * pause, LONGEST_S)
        done = retry()
    status.fields |= before | {"waits": False, "disk_full": False}
    return done
