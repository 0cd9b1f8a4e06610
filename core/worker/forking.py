"""Processes that are forks of a parent which has imported what they need: they share its memory.

A parent waits in `stand_by`; whoever holds the other end of its socket asks for forks. Each fork
takes its request itself. The parent reads none and holds no file of it, so that nothing of one
fork's owner is in the memory of another's. It has one thread, as a fork has that one alone.

Linux only. The standard library only, as in `child_process.py`.
"""

import contextlib
import json
import os
import select
import signal
import socket
import subprocess
import threading
from collections.abc import Callable, Sequence
from typing import IO, Any

LARGEST_BYTES = 100_000
"""Of a request, which the system passes on in one piece."""
MOST_FILES = 4
START_S = 60.0
"""In which a parent has imported everything and answers, on a slow machine."""
Begin = Callable[[dict[str, Any], list[int]], None]
"""What a fork does, with its request and the files that were sent along."""


def is_possible() -> bool:
    """Whether this system has what is needed."""
    return hasattr(os, "pidfd_open") and hasattr(socket, "SOCK_SEQPACKET")


def pair() -> tuple[socket.socket, socket.socket]:
    """The end of whoever asks for forks, and that of the parent."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    for end in (ours, theirs):
        end.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 2 * LARGEST_BYTES)
    return ours, theirs


def stand_by(line: socket.socket, begin: Begin) -> None:
    """Fork for each request until nobody can send one any more; `begin` runs in the fork.

    What it raises, and SystemExit, ends the fork.
    """
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # the system buries forks that have ended
    while _is_asked(line):
        taken, tell = os.pipe()
        if os.fork() == 0:
            os.close(taken)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            request = _take(line)
            os.write(tell, b"1")
            os.close(tell)
            begin(*request)
            raise SystemExit(0)
        os.close(tell)
        was_taken = os.read(taken, 1)
        os.close(taken)
        if not was_taken:  # the next would fail in the same way
            return


def _is_asked(line: socket.socket) -> bool:
    """Wait for a request; False when the other end is closed."""
    waiting = select.poll()
    waiting.register(line, select.POLLIN)
    waiting.poll()
    return bool(line.recv(1, socket.MSG_PEEK))


def _take(line: socket.socket) -> tuple[dict[str, Any], list[int]]:
    """The request of this fork, which is answered with a handle of the process."""
    content, files, _, _ = socket.recv_fds(line, LARGEST_BYTES, MOST_FILES)
    handle = os.pidfd_open(os.getpid())
    socket.send_fds(line, [str(os.getpid()).encode()], [handle])
    os.close(handle)
    line.close()
    return json.loads(content), files


class Forked:
    """A process that is no child of ours, used as one of `subprocess` is.

    stdin: what it reads, where that is a pipe of ours. Its exit status is not known: 0 stands for
    an end.
    """

    def __init__(self, pid: int, handle: int, stdin: IO[bytes] | None = None) -> None:
        self.pid, self.stdin = pid, stdin
        self._handle = handle

    def __del__(self) -> None:
        os.close(self._handle)

    def poll(self) -> int | None:
        """0 when it has ended, None while it runs."""
        return 0 if self._has_ended(0) else None

    def wait(self, timeout: float | None = None) -> int:
        """Wait for its end. Raises TimeoutExpired."""
        if not self._has_ended(timeout):
            raise subprocess.TimeoutExpired(str(self.pid), timeout or 0)
        return 0

    def send_signal(self, number: int) -> None:
        """Send a signal; nothing happens where it has ended."""
        with contextlib.suppress(ProcessLookupError):
            signal.pidfd_send_signal(self._handle, number)

    def terminate(self) -> None:
        """Ask it to end."""
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        """End it."""
        self.send_signal(signal.SIGKILL)

    def _has_ended(self, timeout_s: float | None) -> bool:
        waiting = select.poll()
        waiting.register(self._handle, select.POLLIN)
        return bool(waiting.poll(None if timeout_s is None else timeout_s * 1000))


class ForkParent:
    """Asks a parent for forks. Its methods may be called from any thread."""

    def __init__(self, line: socket.socket) -> None:
        self._line, self._lock = line, threading.Lock()
        line.settimeout(START_S)

    def fork(
        self, request: dict[str, Any], files: Sequence[int], stdin: IO[bytes] | None = None
    ) -> Forked:
        """A new process, which does what the parent's `begin` says. Raises OSError.

        stdin: our end of a pipe that is among the files.
        """
        content = json.dumps(request).encode()
        if len(content) > LARGEST_BYTES:
            raise OSError(f"A request has {len(content)} bytes, at most {LARGEST_BYTES} are sent.")
        with self._lock:
            socket.send_fds(self._line, [content], files)
            answer, handles, _, _ = socket.recv_fds(self._line, LARGEST_BYTES, 1)
        if not answer:
            raise OSError("The parent of these processes has ended.")
        return Forked(int(answer), handles[0], stdin)

    def close(self) -> None:
        """Let the parent end; its forks go on."""
        self._line.close()
