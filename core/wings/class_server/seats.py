"""The workbench of each account: a process of its own, started when somebody comes.

The socket that a workbench listens at is made here and handed to it, so that nobody else can be
behind its port. It knows a token, which only the front door has, and ends with the front door.
"""

import logging
import os
import secrets
import signal
import socket
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from core.files.home import PERSON, private_folder
from core.wings.class_server.roster import PROGRESS, QUEUE, STATE, WORK
from core.worker import child_process, forking

BACKLOG = 256
"""Connections that wait while a workbench starts."""
END_S = 10.0
"""A workbench that has not ended by then after it was asked to is ended."""
PREFIX = "class"
"""Of the address of each workbench: /class/NAME/."""
_LOG = logging.getLogger(__name__)


@dataclass(frozen=True)
class ClassRules:
    """What holds for every account but a teacher's.

    seats: workbenches at a time; idle_s: after which one that nobody looks at ends. quota: bytes of
    files; runs: that train or wait at a time; python: whether own Python may run.
    """

    seats: int = 40
    idle_s: float = 1800.0
    quota: int = 2_000_000_000
    runs: int = 10
    python: bool = False


@dataclass
class Seat:
    """A running workbench. channels: WebSockets that are open; used: when, as time.monotonic."""

    name: str
    line: socket.socket
    token: str
    process: "child_process.Process[bytes] | forking.Forked"
    channels: int = 0
    used: float = field(default_factory=time.monotonic)

    @property
    def port(self) -> int:
        """Where it listens, at 127.0.0.1."""
        return int(self.line.getsockname()[1])

    @property
    def base(self) -> str:
        """The path of its pages."""
        return base_of(self.name)

    def end(self) -> None:
        """Ask it to end, and see that it does."""
        self.line.close()
        if self.process.stdin:
            with suppress(OSError):
                self.process.stdin.close()
        self.process.terminate()
        try:
            self.process.wait(END_S)
        except child_process.TimeoutExpired:
            self.process.kill()
            self.process.wait()


class SeatForks:
    """Workbenches as forks of one parent, which has imported what they need. See `forking`."""

    def __init__(self, module: str) -> None:
        self.module = module
        self._parent = self._begun()

    def start(
        self, line: socket.socket, base: str, folder: Path, more: Mapping[str, str]
    ) -> forking.Forked | None:
        """A workbench; None where the parent has ended, in whose place another starts."""
        request = {"base": base, "cwd": str(folder), "more": dict(more)}
        reads, writes = os.pipe()
        try:
            stdin = os.fdopen(writes, "wb", buffering=0)
            return self._parent.fork(request, [line.fileno(), reads], stdin)
        except OSError as error:
            _LOG.warning("A workbench starts without the parent of all: %s", error)
            self._parent.close()
            self._parent = self._begun()
            return None
        finally:
            os.close(reads)

    def close(self) -> None:
        """Let the parent end."""
        self._parent.close()

    def _begun(self) -> forking.ForkParent:
        ours, theirs = forking.pair()
        with theirs:
            words = child_process.module(self.module, str(theirs.fileno()))
            keep = (theirs.fileno(),)
            child_process.start(words, stderr=None, own_session=True, keep=keep)
        return forking.ForkParent(ours)


class Full(Exception):
    """All seats are taken."""


def base_of(name: str) -> str:
    """The path of the workbench of an account."""
    return f"/{PREFIX}/{name}"


class Seats:
    """All running workbenches. Its methods may be called from any thread.

    module: what each runs; parent: that of which they are forks, "" where each starts afresh.
    """

    def __init__(self, folder: Path, module: str, rules: ClassRules, parent: str = "") -> None:
        self.folder, self.module, self.rules = folder.absolute(), module, rules
        self._forks = SeatForks(parent) if parent and forking.is_possible() else None
        self._seats: dict[str, Seat] = {}
        self._lock = threading.Lock()

    def take(self, name: str, teacher: bool) -> Seat:
        """The workbench of an account, started where it does not run. Raises Full, OSError."""
        with self._lock:
            seat = self._seats.get(name)
            if seat is None or seat.process.poll() is not None:
                seat = self._start(name, teacher)
            seat.used = time.monotonic()
            return seat

    def running(self) -> dict[str, Seat]:
        """Those that run, by name."""
        with self._lock:
            return {n: s for n, s in self._seats.items() if s.process.poll() is None}

    def end_idle(self) -> None:
        """End those that nobody has looked at for a while; their trainings go on."""
        with self._lock:
            over = [seat for seat in self._seats.values() if self._is_over(seat)]
            for seat in over:
                del self._seats[seat.name]
        for seat in over:  # takes seconds, in which nobody else has to wait
            seat.end()

    def _is_over(self, seat: Seat) -> bool:
        idle_s = time.monotonic() - seat.used
        idle = not seat.channels and idle_s > self.rules.idle_s
        return idle or seat.process.poll() is not None

    def close(self) -> None:
        """End all."""
        with self._lock:
            for seat in self._seats.values():
                seat.process.send_signal(signal.SIGTERM)
            for seat in self._seats.values():
                seat.end()
            self._seats.clear()
            if self._forks:
                self._forks.close()

    def _start(self, name: str, teacher: bool) -> Seat:
        if old := self._seats.pop(name, None):
            old.end()
        if sum(s.process.poll() is None for s in self._seats.values()) >= self.rules.seats:
            raise Full
        line = socket.create_server(("127.0.0.1", 0), backlog=BACKLOG)
        try:
            seat = self._started(name, teacher, line)
        except BaseException:
            line.close()
            raise
        self._seats[name] = seat
        return seat

    def _started(self, name: str, teacher: bool, line: socket.socket) -> Seat:
        token, folder = secrets.token_urlsafe(24), work_folder(self.folder, name)
        more = {**self._variables(name, teacher), "LAYERLOOM_TOKEN": token}
        base = base_of(name).lstrip("/")
        process = self._forks.start(line, base, folder, more) if self._forks else None
        process = process or child_process.start(
            child_process.module(self.module, str(line.fileno()), base),
            cwd=folder,
            more=more,
            stdin=child_process.PIPE,
            stderr=None,
            own_session=True,
            keep=(line.fileno(),),
        )
        return Seat(name, line, token, process)

    def _variables(self, name: str, teacher: bool) -> Mapping[str, str]:
        """The environment of a workbench: its folders, and what the class allows."""
        state = private_folder(self.folder / STATE)
        variables = {
            "LAYERLOOM_WORKSPACE": str(work_folder(self.folder, name)),
            "LAYERLOOM_RUNS": str(work_folder(self.folder, name) / "runs"),
            "LAYERLOOM_HOME": str(private_folder(state / name)),
            "LAYERLOOM_QUEUE": str(private_folder(self.folder / QUEUE)),
            PERSON: name,
            "LAYERLOOM_CLASS_FOLDER": str(self.folder),
            "LAYERLOOM_CLASS": str(private_folder(self.folder / PROGRESS)),
            "LAYERLOOM_TEACHER": "1" if teacher else "0",
            "LAYERLOOM_SPARE": "0",  # a trainer that waits, some 270 MB, is too much for each
            "LAYERLOOM_OPEN": "",
            "LAYERLOOM_BESIDE": "",
        }
        if teacher:
            return variables
        return {
            **variables,
            "LAYERLOOM_PYTHON": "on" if self.rules.python else "off",
            "LAYERLOOM_ELSEWHERE": "off",  # it would send runs with the keys of the server's user
            "LAYERLOOM_QUOTA": str(self.rules.quota),
            "LAYERLOOM_MOST_RUNS": str(self.rules.runs),
        }


def work_folder(folder: Path, name: str) -> Path:
    """The folder in which an account's projects and runs are."""
    return private_folder(private_folder(folder / WORK) / name)


def memory(seat: Seat) -> int:
    """Bytes that a workbench and its helpers hold for themselves; 0 where the system does not say.

    What all workbenches share counts for none: it is there once.
    """
    return sum(_own_bytes(pid) for pid in _session(seat.process.pid))


def _session(leader: int) -> Iterator[int]:
    """The processes of a session."""
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError, ValueError):
            if os.getsid(int(folder.name)) == leader:
                yield int(folder.name)


def _own_bytes(pid: int) -> int:
    with suppress(OSError, ValueError, IndexError):
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
        own = [line.split()[1] for line in lines if line.startswith("Private_")]
        return 1024 * sum(map(int, own))
    return 0
