"""Atomic writing of a file: a crash at any moment leaves the old file or the new one.

Temporary file in the same folder, fsync, replace, fsync of the folder; one writer at a time.
"""

import contextlib
import errno
import glob
import os
import secrets
import time
from collections.abc import Generator, Iterator
from pathlib import Path

from core.common.errors import ProjectError
from core.files.safe_path import discard

try:
    import fcntl
except ImportError:  # Windows has no flock
    fcntl = None

WAIT_S = 10.0
NO_SYNC = (errno.EINVAL, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS)
"""Errors of disks that cannot sync folders, such as some network shares."""
NO_LINKS = getattr(os, "O_NOFOLLOW", 0)
NEW = os.O_CREAT | os.O_EXCL | os.O_WRONLY | NO_LINKS | getattr(os, "O_BINARY", 0)


def write_bytes(path: Path, data: bytes, private: bool = False) -> None:
    """Replace a file in one step, while holding its lock.

    private: for this user alone. Raises OSError; then the old file is untouched.
    """
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(4)}.tmp")
    mode = path.stat().st_mode & 0o777 if path.exists() and not private else None
    file = os.open(temporary, NEW, 0o600 if private else 0o666)
    try:
        try:
            _write_all(file, data)
            if mode is not None:
                os.chmod(temporary, mode)  # noqa: PTH101 (what the crash test counts is in os)
            os.fsync(file)
        finally:
            os.close(file)
        os.replace(temporary, path)  # noqa: PTH105
    except OSError:
        discard(temporary)
        raise
    sync_folder(path.parent)


def _write_all(file: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(file, view) :]


def sync_folder(folder: Path) -> None:
    """Make a rename survive a power failure, where the system can."""
    if os.name != "posix":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    except OSError as error:
        if error.errno not in NO_SYNC:
            raise
    finally:
        os.close(handle)


def _remove_leftovers(path: Path) -> None:
    """Clear away what a crashed save of this file left."""
    for left in path.parent.glob(f".{glob.escape(path.name)}.*.tmp"):
        left.unlink(missing_ok=True)


@contextlib.contextmanager
def locked(path: Path) -> Generator[None]:
    """Hold the lock of a file, `.NAME.lock` beside it, which is gone again afterwards.

    Raises ProjectError if another program holds it longer than 10 s; OSError if the folder
    cannot be written.
    """
    lock = path.with_name(f".{path.name}.lock")
    for handle in _tries(lock):
        if handle is not None:
            break
    else:
        hint = f"Wait, or delete {lock.name} if no other program is saving."
        raise ProjectError(path.name, "is being saved by another program.", hint)
    try:
        _remove_leftovers(path)
        yield
    finally:
        _give_back(handle, lock)


def _tries(lock: Path) -> Iterator[int | None]:
    end = time.monotonic() + WAIT_S
    while time.monotonic() < end:
        yield _take(lock)
        time.sleep(0.002)


def _take(lock: Path) -> int | None:
    """Take the lock if it is free. Where the system knows no flock, having created it counts."""
    try:
        handle, created = os.open(lock, NEW, 0o666), True
    except FileExistsError:
        try:
            handle, created = os.open(lock, os.O_RDWR | NO_LINKS), False
        except FileNotFoundError:
            return None  # given back just now
    got = _flock(handle)
    if created if got is None else got and _is_current(handle, lock):
        return handle
    os.close(handle)
    return None


def _flock(handle: int) -> bool | None:
    """Whether we hold the file's lock now; None where there is no such thing."""
    if fcntl is None:
        return None
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return None
    return True


def _is_current(handle: int, lock: Path) -> bool:
    """Whether the file we locked is still the one of that name, not one just deleted."""
    try:
        return os.path.samestat(os.fstat(handle), lock.stat())
    except FileNotFoundError:
        return False


def _give_back(handle: int, lock: Path) -> None:
    if fcntl is None:  # Windows deletes no open file
        os.close(handle)
        lock.unlink(missing_ok=True)
    else:
        lock.unlink(missing_ok=True)  # while it is still ours: see _is_current
        os.close(handle)
