"""Room for decoded pictures: the workspace keeps 20 GiB of them, what was used last stays.

A cache is in use while somebody holds its lock: the run that reads it shares it, whoever makes it
has it alone. Only what nobody holds is thrown away, and only when room is needed for another: more
than the limit would be kept, or the disk is full. One that is larger than the limit stands alone.
"""

import errno
import fcntl
import os
import re
import shutil
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from core.data.sources.paths import cache_folder

LIMIT_BYTES = 20 << 30
SPARE_BYTES = 256 << 20
LOCK = "lock"
NO_LOCKS = (errno.ENOLCK, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS, errno.EINVAL)
"""Errors of a disk without locks, such as some network shares."""
_KEY = re.compile(r"[0-9a-f]{24}")
_GONE = ".gone-"


@dataclass(frozen=True)
class CacheEntry:
    """A cache in the folder. used_ns: when its lock was last taken."""

    folder: Path
    size: int
    used_ns: int


def make_room(folder: Path, size: int, done: int = 0) -> None:
    """Delete the least recently used caches until `size` bytes fit beside the rest.

    folder: the folder that they are for, which stays; done: how many lie there already. Where all
    others are in use it may be less; where all of them would not be enough, nothing is thrown away.
    """
    _remove_leftovers()
    others = sorted(cache_entries(folder), key=lambda cache: cache.used_ns)
    total = sum(cache.size for cache in others)
    need = size - done + SPARE_BYTES
    if free_bytes() + total < need:
        return
    for cache in others:
        if total + size <= LIMIT_BYTES and free_bytes() >= need:
            return
        if _thrown_away(cache.folder):
            total -= cache.size


def free_bytes() -> int:
    """Bytes of the disk that anybody may use."""
    disk = os.statvfs(cache_folder())
    return disk.f_bavail * disk.f_frsize


def cache_entries(but: Path | None = None) -> Iterator[CacheEntry]:
    """All caches, whole or begun, but one."""
    for folder in cache_folder().iterdir():
        if folder == but or not _KEY.fullmatch(folder.name) or folder.is_symlink():
            continue
        try:
            files = [path.stat() for path in folder.iterdir()]
            lock = folder / LOCK
            used = (lock if lock.exists() else folder).stat().st_mtime_ns
        except OSError:  # somebody throws it away at this moment, or it is no folder
            continue
        yield CacheEntry(folder, sum(file.st_size for file in files), used)


def hold(folder: Path) -> IO[bytes] | None:
    """Lock a cache: it is not deleted while the file is open. None if it was deleted before."""
    try:
        file = _opened(folder / LOCK)
    except FileNotFoundError:
        return None
    try:
        fcntl.flock(file, fcntl.LOCK_SH)
    except OSError as error:  # a disk without locks: `_thrown_away` throws nothing away there
        if error.errno not in NO_LOCKS:
            raise
    if not is_lock_of(file, folder):
        file.close()
        return None
    with suppress(OSError):  # nobody throws away what may only be read
        os.utime(file.fileno())
    return file


def _opened(path: Path) -> IO[bytes]:
    """A lock file, made where there is none; to be read only in a workspace that is."""
    try:
        return path.open("ab")
    except OSError as error:
        if error.errno not in (errno.EACCES, errno.EPERM, errno.EROFS):
            raise
        return path.open("rb")


def is_lock_of(file: IO[bytes], folder: Path) -> bool:
    """Whether an open lock is still that of the folder, rather than of one thrown away."""
    try:
        return os.path.samestat(os.fstat(file.fileno()), (folder / LOCK).stat())
    except FileNotFoundError:
        return False


def _thrown_away(folder: Path) -> bool:
    """Throw a cache away; False where somebody uses it, or it cannot be moved."""
    gone = folder.with_name(f"{_GONE}{folder.name}-{os.getpid()}")
    try:
        with (folder / LOCK).open("ab") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if not is_lock_of(lock, folder):
                return False
            folder.rename(gone)
    except OSError:
        return False
    shutil.rmtree(gone, ignore_errors=True)  # what stays of it is swept by the next
    return True


def _remove_leftovers() -> None:
    """Delete what somebody who was ended has left of a cache thrown away."""
    for left in cache_folder().glob(f"{_GONE}*"):
        shutil.rmtree(left, ignore_errors=True)
