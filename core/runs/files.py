"""The run folder: names of its files, whole-or-nothing JSON, and locks that show live processes.

A run folder holds spec.json, model.py, script.py and project.loom.json (written once); proc.json
and exit.json (by the shim); status.json with reserve.json, metrics.jsonl, curves.json,
events.jsonl, log.txt, live/, probe/, weights/, ckpt/, tensorboard/, threads.json, modes.json,
baseline.json, vocabulary.json and final.json (by the worker); ranks/ and rendezvous.ATTEMPT (by
each worker, where there are several); control.json with its lock, viewer and follower (by whoever
watches).
"""

import errno
import fcntl
import json
import os
import re
import stat
import time
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any

from core.common.errors import RunError
from core.common.json_types import is_dict, loads
from core.files.safe_path import discard, plain

FORMAT = 1
LARGEST_JSON = 64 << 20
MOST_THREADS = 4096
SHIM_LOCK = "shim.lock"
WORKER_LOCK = "worker.lock"
CONTROL_LOCK = "control.lock"
THREADS = "threads.json"
MODES = "modes.json"
RANKS = "ranks"  # a folder with a file of each process, where a run has several
TOGETHER = "together.json"  # which runs it trains with, in which place, and whether compiled
BASELINE = "baseline.json"  # what a simple rule reaches on the data of a run
HELD = (errno.EACCES, errno.EAGAIN)
"""Errors for a lock that another process has; others mean that there are no locks."""
NO_SYNC = (errno.EINVAL, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS)
"""Errors of disks that cannot sync folders, such as some network shares."""
_OWNER = re.compile(r"\.(\d+)\.tmp\Z", re.ASCII)
RESERVE, RESERVED_BYTES = "reserve.json", 16_384
"""Disk space reserved for the worker's last status, for when the disk is full: see `Status`."""
BEFORE = "before.jsonl"  # metrics of the run it branched off, until its worker takes them over


def write_bytes(path: Path, data: bytes, durable: bool = True) -> None:
    """Write a file whole or not at all. durable: it also survives a power cut."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with temporary.open("wb") as file:
            file.write(data)
            if durable:
                file.flush()
                os.fsync(file.fileno())
        temporary.replace(path)
    except BaseException:
        discard(temporary)
        raise
    if durable:
        sync_folder(path.parent)


def sync_folder(folder: Path) -> None:
    """Make renames in a folder survive a power cut, where its disk can."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno not in NO_SYNC:
            raise
    finally:
        os.close(descriptor)


def write_json(path: Path, value: Any, durable: bool = False) -> None:
    """Write strict JSON whole or not at all. Raises ValueError for NaN and infinity."""
    text = json.dumps(value, allow_nan=False, ensure_ascii=False, separators=(",", ":"))
    write_bytes(path, text.encode(), durable)


def read_json(path: Path) -> dict[str, Any]:
    """Read a JSON object; empty when the file is missing or not (yet) an object.

    Also when it is no plain file: reading a pipe or a device would never end.
    """
    try:
        stats = path.stat()
        if not stat.S_ISREG(stats.st_mode) or stats.st_size > LARGEST_JSON:
            return {}
        value = loads(path.read_bytes())
    except (FileNotFoundError, NotADirectoryError, ValueError, RecursionError):
        return {}
    return value if is_dict(value) else {}


def threads_of(spec: Mapping[str, Any], run: str) -> int:
    """The number of threads that the spec of a run names, 1 where it names none. Raises RunError
    where that is no number of threads."""
    count = spec.get("threads", 1)
    if type(count) is not int or not 1 <= count <= MOST_THREADS:
        shown = json.dumps(count)[:60]
        message = f"spec.json of {run} needs a whole number of threads from 1 to {MOST_THREADS:,} "
        message += f"but has {shown}."
        raise RunError(run, message, "Correct the number, or train the project again.")
    return count


def overwrite_json(path: Path, value: Any, grow: bool = False) -> None:
    """Write JSON over what a file holds already, which needs no more room on the disk.

    grow: it may become longer, as within its last block. Raises OSError where the file is missing
    or too short for it.
    """
    text = json.dumps(value, allow_nan=False, ensure_ascii=False, separators=(",", ":")).encode()
    descriptor = os.open(path, os.O_WRONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    try:
        size = os.fstat(descriptor).st_size
        if len(text) > size and not grow:
            raise OSError(errno.EFBIG, os.strerror(errno.EFBIG))
        os.pwrite(descriptor, text.ljust(size), 0)
    finally:
        os.close(descriptor)


def read_status(run_dir: Path) -> dict[str, Any]:
    """The newest status of the worker: status.json, or reserve.json if the disk has been full."""
    status, reserve = read_json(run_dir / "status.json"), read_json(run_dir / RESERVE)
    return reserve if _beat(reserve) > _beat(status) else status


def _beat(status: dict[str, Any]) -> int:
    beat = status.get("beat")
    return beat if isinstance(beat, int) else 0


def folder_identity(run_dir: Path) -> tuple[int, int] | None:
    """Which folder of a run this is, whatever its name; None where there is none any more.

    Where the run writes while its folder is deleted, one is left, but without its spec.json.
    """
    try:
        stats, _ = run_dir.stat(), (run_dir / "spec.json").stat()
    except (FileNotFoundError, NotADirectoryError):
        return None
    return stats.st_dev, stats.st_ino


def read_end(path: Path, size: int) -> str:
    """The last `size` bytes of a text; "" where there is no plain file."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK)  # a pipe would keep us waiting
    except (FileNotFoundError, NotADirectoryError):
        return ""
    try:
        stats = os.fstat(descriptor)
        if not stat.S_ISREG(stats.st_mode):
            return ""
        data = os.pread(descriptor, size, max(0, stats.st_size - size))
    finally:
        os.close(descriptor)
    return data.decode("utf-8", "replace")


def take_lock(path: Path, wait_s: float = 0.0) -> IO[bytes] | None:
    """Take a lock that dies with this process; None when another process has it.

    Readers test a lock by holding it for an instant, hence `wait_s`. Raises OSError where the disk
    has no locks, as some network shares.
    """
    file = plain(path).open("ab")
    deadline = time.monotonic() + wait_s
    while True:
        try:
            fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return file
        except OSError as error:
            if error.errno not in HELD or time.monotonic() >= deadline:
                file.close()
                if error.errno not in HELD:
                    raise
                return None
        time.sleep(0.01)


def is_locked(path: Path) -> bool:
    """Tell whether a living process (not this one) holds the lock."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK)  # a pipe would keep us waiting
    except OSError:
        return False
    try:
        fcntl.lockf(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError as error:
        return error.errno in HELD  # where the disk has no locks, nobody holds one
    finally:
        os.close(descriptor)
    return False


def boot_id() -> str:
    """Name this start of the machine, so that monotonic times can be compared; "" if unknown."""
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    except OSError:
        return ""


def remove_leftovers(folder: Path) -> None:
    """Delete temporary files that a killed process left behind; a living one is writing its own."""
    for file in folder.glob(".*.tmp"):
        owner = _OWNER.search(file.name)
        if owner is None or not _lives(int(owner[1])):
            file.unlink(missing_ok=True)


def _lives(process: int) -> bool:
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        pass  # somebody else's, and alive
    return True
