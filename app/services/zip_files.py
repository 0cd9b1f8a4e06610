"""Zips from outside, bundles among them: a large one is opened in a separate process.

The server's process serves every tab, so it opens only small ones itself.
"""

import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

from app.process import pool
from core.data.sources import bounds

LONG_LIST = 64 << 10
"""Bytes of the longest list of members that is read in this process: some hundred names."""
LIMIT_S = 300.0
BROKEN = (zipfile.BadZipFile, zlib.error, EOFError, ValueError, NotImplementedError, RuntimeError)
"""Errors of zipfile for truncated, forged or unsupported archives."""


def unpacked_bytes(path: Path) -> int:
    """Stated bytes of the files of a zip, or the size of the zip if that is more.

    A zip with a long list counts as large; a file that is not a zip has its own size.
    """
    size = path.stat().st_size
    if bounds.directory_bytes(path) > LONG_LIST:
        return max(size, pool.LARGE_FILE)
    try:
        with zipfile.ZipFile(path) as archive:
            return max(size, sum(entry.file_size for entry in archive.infolist()))
    except BROKEN:
        return size


def run_on_zip(path: Path, function: Callable[..., Any], *args: Any) -> Any:
    """Run a function that opens the zip at `path`: a large one in another process.

    What it raises arrives from there as PoolError with the same message and hint.
    """
    size = unpacked_bytes(path)
    if size < pool.LARGE_FILE:
        return function(*args)
    return pool.read(size, function, *args, timeout_s=LIMIT_S)
