"""Files with any name from outside: whether one exists, to open it and no pipe, to let it go."""

import errno
import os
import stat
from contextlib import suppress
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


def plain(path: Path) -> Path:
    """The path of a file to append to, where a plain file is there, or nothing yet.

    Raises OSError for anything else: a pipe in a folder from outside would keep its writer waiting.
    """
    if path.exists() and not path.is_file():
        raise OSError(errno.ENXIO, "It is not a file", str(path))
    return path


def discard(path: Path) -> None:
    """Delete what could not be written whole, as far as the disk lets us: one that is read-only
    refuses that, too, and its refusal must not hide the first."""
    with suppress(OSError):
        path.unlink(missing_ok=True)
