"""The workers of a sweep: processes, also on other machines, that share its folder and journal.

`workers/ID.json` says host, process (by number and start time) and a beat that grows while the
process lives, and is locked by it. A worker is gone when its lock is free and, on another machine,
whose locks may not reach this one, when its beat has stood still for DEAD_S of this machine's own
clock.

Everything that is decided together (the next trial, whose a trial is, the journal) is decided
under one lock, `journal.lock`, which dies with its process.
"""

import errno
import fcntl
import json
import os
import re
import secrets
import socket
import threading
import time
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

from core.common.errors import SweepError
from core.runs.files import HELD, read_json
from core.worker import supervisor

WORKERS, JOURNAL_LOCK = "workers", "journal.lock"
BEAT_S, DEAD_S = 5.0, 120.0
NO_LOCKS = (errno.ENOLCK, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS)
UNSAFE = re.compile(r"[^A-Za-z0-9-]+")


class SharedLock:
    """The lock of a sweep's folder: one process at a time, and as often as this one likes.

    Optuna's journal takes it for each record, the driver around several that belong together.
    """

    def __init__(self, path: Path, journal: Path) -> None:
        self.path, self.journal = path, journal
        self._file: IO[bytes] | None = None
        self._depth = 0

    def acquire(self) -> bool:
        """Wait for the lock. Raises SweepError where the disk has no locks."""
        if self._depth == 0:
            file = self.path.open("ab")
            try:
                _flock(file)
                _remove_torn_line(self.journal)
            except BaseException:
                file.close()
                raise
            self._file = file
        self._depth += 1
        return True

    def release(self) -> None:
        """Give it back."""
        self._depth -= 1
        if self._depth == 0 and self._file is not None:
            fcntl.flock(self._file, fcntl.LOCK_UN)  # also where a forked process has the file
            self._file.close()
            self._file = None

    @contextmanager
    def held(self) -> Generator[None]:
        """Hold it for what belongs together."""
        self.acquire()
        try:
            yield
        finally:
            self.release()


def _flock(file: IO[bytes]) -> None:
    try:
        fcntl.flock(file, fcntl.LOCK_EX)
    except OSError as error:
        if error.errno not in NO_LOCKS:
            raise
        folder = Path(file.name).parent
        message = f"The disk of {folder} has no file locks, so a sweep cannot be kept there."
        hint = "Choose a folder of runs on another disk with --runs."
        raise SweepError(folder.name, message, hint) from error


def _remove_torn_line(path: Path) -> None:
    """Forget a last line that a killed process did not finish: what follows would be lost."""
    if not path.exists() or not path.stat().st_size:
        return
    with path.open("r+b") as file:
        file.seek(-1, os.SEEK_END)
        if file.read(1) != b"\n":
            file.truncate(path.read_bytes().rfind(b"\n") + 1)


@dataclass
class SweepWorker:
    """This process among the workers of a sweep.

    id: names it in the journal. seen: of others, the last beat and when it changed, by this clock.
    """

    folder: Path
    id: str
    seen: dict[str, tuple[Any, float]] = field(default_factory=lambda: {})

    def others(self) -> list[str]:
        """The ids of the other workers that live."""
        every = sorted(path.stem for path in self.folder.glob("*.json"))
        return [each for each in every if each != self.id and self.lives(each)]

    def lives(self, worker: str) -> bool:
        """Whether a worker lives, which for this one is so."""
        if worker == self.id:
            return True
        path = self.folder / f"{worker}.json"
        if UNSAFE.search(worker) or not path.is_file():
            return False
        entry = read_json(path)
        if _flocked(path):
            return True
        if entry.get("host") == socket.gethostname():
            return False
        beat, now = entry.get("beat"), time.monotonic()
        if worker not in self.seen or self.seen[worker][0] != beat:
            self.seen[worker] = beat, now
        return now - self.seen[worker][1] < DEAD_S

    def clear(self) -> None:
        """Delete the files of workers that are gone."""
        for path in self.folder.glob("*.json"):
            if not self.lives(path.stem):
                path.unlink(missing_ok=True)


def _flocked(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError as error:
        return error.errno in (*HELD, errno.EWOULDBLOCK)
    return False


def processes(folder: Path) -> list[dict[str, Any]]:
    """The workers of a sweep's folder that live on this machine, as they wrote themselves down."""
    living = [path for path in (folder / WORKERS).glob("*.json") if _flocked(path)]
    entries = [
        entry for entry in map(read_json, living) if entry.get("host") == socket.gethostname()
    ]
    return [process for entry in entries if isinstance(process := entry.get("process"), dict)]


def any_lives(folder: Path) -> bool:
    """Whether a worker of a sweep's folder holds its lock."""
    return any(_flocked(path) for path in (folder / WORKERS).glob("*.json"))


@contextmanager
def enrolled(folder: Path, lock: SharedLock) -> Generator[SweepWorker]:
    """Be a worker of the sweep of this folder."""
    host = UNSAFE.sub("-", socket.gethostname())[:40] or "host"
    worker = SweepWorker(folder / WORKERS, f"{host}-{os.getpid()}-{secrets.token_hex(3)}")
    path, ended = worker.folder / f"{worker.id}.json", threading.Event()
    with lock.held():  # nobody may see the file before it is locked
        worker.folder.mkdir(exist_ok=True)
        worker.clear()
        file = path.open("xb")
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        _beat(file, 0)
    thread = threading.Thread(target=_beat_on, args=(file, ended), daemon=True)
    thread.start()
    try:
        yield worker
    finally:
        ended.set()
        thread.join()
        path.unlink(missing_ok=True)
        file.close()


def _beat_on(file: IO[bytes], ended: threading.Event) -> None:
    beat = 0
    while not ended.wait(BEAT_S):
        beat += 1
        _beat(file, beat)


def _beat(file: IO[bytes], beat: int) -> None:
    """Write over the same file, for another one would not be locked."""
    process = supervisor.identity(os.getpid())
    entry = {"host": socket.gethostname(), "pid": os.getpid(), "process": process}
    entry["beat"] = f"{beat:012d}"
    os.pwrite(file.fileno(), json.dumps(entry).encode(), 0)
