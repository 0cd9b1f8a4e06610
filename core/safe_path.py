"""Whether a file exists, safe for any name in a file from outside."""

from pathlib import Path


def is_file(path: Path) -> bool:
    """Whether a path is that of a plain file; no where its name is too long, or no name at all."""
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False
