"""A full disk: recognised among other errors; a run waits until there is space."""

import errno
import os
import shutil
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from core.runs.status import Status

FULL = (errno.ENOSPC, errno.EDQUOT)
"""Errors that go away once somebody frees some space."""
SHORTEST_S, LONGEST_S = 0.2, 5.0
MESSAGE = "The disk is full, so the run waits: {}."
HINT = "Free some space and it continues automatically; Stop ends it without a new checkpoint."


NEEDED_BYTES = 1 << 20  # to begin with: metrics, events and the first checkpoint of a small network
NEEDED_FILES = 64  # of a run, and some that are written beside others first


def room(folder: Path) -> str:
    """How much room the disk of a folder has, and how much a run in it needs, in a sentence."""
    last = folder / "ckpt" / "last.pt"
    needed = 2 * last.stat().st_size if last.is_file() else 0
    free, needed = shutil.disk_usage(folder).free, max(NEEDED_BYTES, needed)
    if free >= needed and (files := files_left(folder)) < NEEDED_FILES:
        return (
            f"{folder} has room for {files} more files, however small; about {NEEDED_FILES} "
            "are needed."
        )
    return f"{folder} has {free / 1e3:,.0f} kB free; about {needed / 1e6:,.1f} MB are needed."


def files_left(folder: Path) -> int:
    """How many more files the disk of a folder takes: some have a number of them from the start."""
    stats = os.statvfs(folder)
    return stats.f_favail if stats.f_files else NEEDED_FILES


def advice(error: OSError, file: Path, otherwise: str = "Choose another folder.") -> str:
    """What to do where a file cannot be written, with the place where it is a full disk."""
    if not is_full(error):
        return otherwise
    place = f"the disk of {file.absolute().parent}"
    with suppress(OSError):  # the folder went away just now
        if not files_left(file.absolute().parent):
            return f"Delete some files on {place}, which takes no more of them."
    return f"Free some space on {place}, or choose another folder."


def hint(folder: Path) -> str:
    """What to do where a run waits for room, with the place and the amount."""
    try:
        return f"{HINT} {room(folder)}"
    except OSError:  # the folder went away just now
        return HINT


def sentence(what: str, folder: Path) -> str:
    """That something cannot begin on a full disk, with the place and the amount.

    what: the beginning of the sentence, "The sweep cannot begin".
    """
    there = next(each for each in (folder, *folder.absolute().parents) if each.is_dir())
    return f"{what}: the disk is full. {room(there)}"


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
    words = {"message": MESSAGE.format(file_words), "hint": hint(status.path.parent)}
    while not (done or unwanted()):
        # it keeps its threads, as one that waits to go on does
        status.fields |= {"state": "paused", "waits": True, "disk_full": True}
        status.fields |= words
        status.write()
        end = time.monotonic() + pause
        while time.monotonic() < end and not unwanted():
            time.sleep(min(SHORTEST_S, pause))
        pause = min(2 * pause, LONGEST_S)
        done = retry()
    status.fields |= before | {"waits": False, "disk_full": False}
    return done
