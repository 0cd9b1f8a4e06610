"""Temporary folders of imports: created here, and removed if an earlier process left them.

A server that was killed leaves its own behind, weights and all.
"""

import os
import re
import shutil
import stat
import tempfile
import time
from pathlib import Path

PREFIX = "layerloom-import-"
HOUR_S = 3600.0
OLD_S = 24 * HOUR_S
"""How long nothing was written in a folder of nobody: of a process that is gone, an hour."""
_cleared = False


def new() -> "tempfile.TemporaryDirectory[str]":
    """Make one that goes with its owner; the first time, clear what others left."""
    global _cleared
    if not _cleared:
        _cleared = True
        clear()
    prefix = f"{PREFIX}{os.getpid()}-"
    return tempfile.TemporaryDirectory(prefix=prefix, ignore_cleanup_errors=True)


def clear() -> None:
    """Delete folders of this user whose owner is gone. Links are neither followed nor deleted."""
    for path in Path(tempfile.gettempdir()).glob(f"{PREFIX}*"):
        if _is_left(path):
            shutil.rmtree(path, ignore_errors=True)  # somebody else may be clearing it, too


def _is_left(path: Path) -> bool:
    try:
        status = path.lstat()
    except FileNotFoundError:
        return False
    own = stat.S_ISDIR(status.st_mode) and status.st_uid == os.getuid()
    named = re.fullmatch(rf"{PREFIX}(\d+)-\w+", path.name)
    gone = named is not None and not _lives(int(named[1]))
    return own and time.time() - status.st_mtime > (HOUR_S if gone else OLD_S)


def _lives(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (PermissionError, OverflowError):
        pass  # another user's, or no number of a process: it is not known to be gone
    return True
