"""Limits of memory and time for reading an untrusted file. Beyond them, it is refused in a
sentence.

Memory is limited on Linux only (RLIMIT_DATA), time in the main thread only (SIGALRM).
"""

import resource
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from core.common.errors import ImportRefused
from core.wings.importing.error_messages import error_text

ROOM = 4 << 30
"""Memory limit in bytes of reading a file, besides TIMES its size."""
TIMES = 8
SECONDS = 900.0
MINUTES = 60.0
"""Time limit of importing a model, including the comparison."""
FILE_ERRORS = (
    RuntimeError,
    ValueError,
    TypeError,
    LookupError,
    ArithmeticError,
    AssertionError,
    AttributeError,
    OSError,
    MemoryError,
)
"""Errors that onnx, numpy and torch raise for an invalid file."""


class TimeLimitReached(BaseException):
    """The time limit is reached; a BaseException, which no `except Exception` catches."""


@contextmanager
def reading_limit(place: str, size: int, seconds: float = SECONDS) -> Iterator[None]:
    """Limit memory for a file of `size` bytes, and time in seconds, inside the context.

    Raises ImportRefused if it takes more, and for further errors that such a file can cause.
    """
    room = ROOM + TIMES * size
    try:
        with memory_limit(room), _time(seconds):
            yield
    except ImportRefused as error:
        if _is_memory(error):
            raise _too_large(place, room) from error
        raise
    except TimeLimitReached as error:
        raise ImportRefused(
            place,
            f"takes more than {seconds / 60:.0f} minutes to read.",
            "Import a smaller one.",
        ) from error
    except FILE_ERRORS as error:
        if _is_memory(error):
            raise _too_large(place, room) from error
        raise ImportRefused(place, f"cannot be read: {error_text(error)}.") from error


@contextmanager
def import_limit(place: str, minutes: float = MINUTES) -> Iterator[None]:
    """Limit an import to so many minutes. Raises ImportRefused if it takes more."""
    try:
        with _time(minutes * 60):
            yield
    except TimeLimitReached as error:
        raise ImportRefused(
            place,
            f"takes more than {minutes:g} minutes to import.",
            "Import a smaller model or input, or raise the limit: layerloom import --max-minutes "
            "N.",
        ) from error


def _is_memory(error: BaseException) -> bool:
    words = ("allocate memory", "bad_alloc", "out of memory", "Unable to allocate")
    return isinstance(error, MemoryError) or any(word in str(error) for word in words)


def _too_large(place: str, room: int) -> ImportRefused:
    return ImportRefused(
        place,
        f"takes more than {room / 1e9:.1f} GB of memory to read.",
        "This is unusual for a file of its size: check where it comes from.",
    )


@contextmanager
def memory_limit(room: int) -> Iterator[None]:
    """Limit this process to `room` bytes more than it has, or less if its limit is lower."""
    used, old = _data(), resource.getrlimit(resource.RLIMIT_DATA)
    if used:
        resource.setrlimit(resource.RLIMIT_DATA, (_least(old[0], used + room), old[1]))
    _outer.append(old[0])
    try:
        yield
    finally:
        _outer.pop()
        if used:
            resource.setrlimit(resource.RLIMIT_DATA, old)


def allow(size: int) -> None:
    """Raise the memory limit for `size` bytes of further files."""
    now, hard = resource.getrlimit(resource.RLIMIT_DATA)
    if _outer and now != resource.RLIM_INFINITY:
        more = _least(_outer[-1], now + TIMES * size)
        resource.setrlimit(resource.RLIMIT_DATA, (more, hard))


_outer: list[int] = []
"""The limits outside of the current contexts."""


def _least(limit: int, other: int) -> int:
    return other if limit == resource.RLIM_INFINITY else min(limit, other)


def _data() -> int:
    """Bytes of this process's data segment; 0 if the system does not report it."""
    with suppress(OSError):
        for line in Path("/proc/self/status").read_text().splitlines():
            if line.startswith("VmData:"):
                return int(line.split()[1]) * 1024
    return 0


@contextmanager
def _time(seconds: float) -> Iterator[None]:
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def stop(*_: object) -> None:
        raise TimeLimitReached

    left, _ = signal.getitimer(signal.ITIMER_REAL)
    if 0 < left < seconds:  # a limit around this one ends earlier
        yield
        return
    begun, old = time.monotonic(), signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        passed = time.monotonic() - begun
        signal.setitimer(signal.ITIMER_REAL, max(left - passed, 0.001) if left else 0)
        signal.signal(signal.SIGALRM, old)
