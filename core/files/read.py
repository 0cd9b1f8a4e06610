"""Read a file that a user names, at most so many bytes of it."""

import stat
from pathlib import Path

from core.files.messages import fail, shown
from core.files.strict import MAX_BYTES


def read_bytes(path: Path, limit: int = MAX_BYTES) -> bytes:
    """Read at most `limit` bytes of a regular file, and one more. Raises ProjectError."""
    name = shown(path.name or str(path))
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            fail(name, "is not a file.", "Choose a file that ends in .loom.json.")
        with path.open("rb") as file:
            return file.read(limit + 1)
    except FileNotFoundError:
        fail(name, "does not exist.", "Check the name and the folder.")
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        fail(name, f"cannot be read: {reason}.", "Check the permissions of the file.")
