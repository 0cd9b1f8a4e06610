"""Whether a file exists, safe for any name in a file from outside; and to open one, and no pipe."""

import errno
import os
import stat
from io import BufferedReader
from pathlib import Path


def is_file(path: Path) -> bool:
    """Whether a path is that of a plain file; no where its name is too long, or no name at all."""
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False


def open_file(path: Path) -> BufferedReader:
    """Open a plain file to read it. Raises OSError, and FileNotFoundError for anything else.

    A pipe in a folder from outside would keep its reader waiting for ever, a device never end.
    """
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    if stat.S_ISREG(os.fstat(descriptor).st_mode):
        return os.fdopen(descriptor, "rb")
    os.close(descriptor)
    raise FileNotFoundError(errno.ENOENT, "It is not a file", str(path))


def read_file(path: Path) -> bytes:
    """Read a plain file. Raises OSError, and FileNotFoundError for anything else."""
    with open_file(path) as file:
        return file.read()
