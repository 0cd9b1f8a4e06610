"""Zips from outside, bundles among them: which are opened in a process of their own.

The server's process answers every tab, so it opens itself only what takes no time.
"""

import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

from app.process import pool
from core.data import bounds

LONG_LIST = 64 << 10
"""Bytes of a list of members that is not looked at here: some hundred names."""
LIMIT_S = 300.0
BROKEN = (zipfile.BadZipFile, zlib.error, EOFError, ValueError, NotImplementedError, RuntimeError)
"""What zipfile raises for archives that are torn, forged or packed in a way it does not know."""


def unpacked_bytes(path: Path) -> int:
    """Bytes that the files of a zip say they have, or its own if those are more.

    A zip with a long list counts as a large one, and what is no zip by its own size.
    """
    size = path.stat().st_size
    if bounds.directory_bytes(path) > LONG_LIST:
        return max(size, pool.LARGE_FILE)
    try:
        with zipfile.ZipFile(path) as archive:
            return max(size, sum(entry.file_size for entry in archive.infolist()))
    except BROKEN:
        return size


def opened(path: Path, function: Callable[..., Any], *args: Any) -> Any:
    """Run a function that opens the zip at `path`: a large one in another process.

    What it raises arrives from there as PoolError with the same message and hint.
    """
    size = unpacked_bytes(path)
    if size < pool.LARGE_FILE:
        return function(*args)
    return pool.read(size, function, *args, timeout_s=LIMIT_S)
