"""A pool of one process that is forked in milliseconds, where `use_forks` was called before.

It is called as one of `concurrent.futures`. The parent of such processes is forked from this one
while it has a single thread, and forks on demand; it ends with this one, and so do they.
"""

import contextlib
import logging
import os
import select
import signal
import threading
from collections.abc import Callable
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from typing import Any

from core.worker import forking

_parent: list[forking.ForkParent] = []
_LOG = logging.getLogger(__name__)


def use_forks() -> None:
    """Have pools of this process fork theirs from what it is now."""
    ours, theirs = forking.pair()
    if os.fork() == 0:
        ours.close()
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        try:
            forking.stand_by(theirs, _serve)
        finally:
            os._exit(0)
    theirs.close()
    _parent[:] = [forking.ForkParent(ours)]


def parent() -> forking.ForkParent | None:
    """What forks for this process; None where it starts processes afresh."""
    return next(iter(_parent), None)


def forked(begin: Callable[..., object], *of: Any) -> "ForkedPool | None":
    """A pool that begins so; None where this process starts processes afresh, as it does once the
    parent has ended."""
    line = parent()
    if line is None:
        return None
    try:
        return ForkedPool(line, begin, *of)
    except OSError as error:
        _LOG.warning("Processes are started afresh, without their parent: %s", error)
        _parent.clear()
        line.close()
        return None


class ForkedPool(Executor):
    """Calls one process, one call after the other."""

    def __init__(self, parent: forking.ForkParent, begin: Callable[..., object], *of: Any) -> None:
        """begin: called in the process first, as all else is. Raises OSError."""
        self._line, theirs = Pipe()
        with contextlib.closing(theirs):
            self._process = parent.fork({}, [theirs.fileno()])
        self._caller = ThreadPoolExecutor(1, "forked")
        self._begun = self._caller.submit(self._call, begin, of, {})

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> "Future[Any]":
        """Call a function in the process; the future raises BrokenProcessPool once it has ended."""
        return self._caller.submit(self._prepared_call, fn, args, kwargs)

    def _prepared_call(self, *call: Any) -> Any:
        if error := self._begun.exception():
            raise BrokenProcessPool("The process could not be prepared.") from error
        return self._call(*call)

    def _call(self, *call: Any) -> Any:
        try:
            self._line.send(call)
            succeeded, value = self._line.recv()
        except (EOFError, OSError) as error:
            raise BrokenProcessPool("The process has ended.") from error
        if succeeded:
            return value
        raise value

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """End the process: after its last call, or now where nobody waits for it."""
        if not wait:
            self._process.kill()
        self._caller.shutdown(wait=True, cancel_futures=cancel_futures)
        self._line.close()


def _serve(_: dict[str, Any], files: list[int]) -> None:
    """Answer calls until the other end is closed; runs in the fork and does not come back."""
    line = Connection(files[0])
    threading.Thread(target=_end_with, args=(line,), daemon=True).start()
    with contextlib.suppress(EOFError, OSError):
        while True:
            _answer(line)
    os._exit(0)


def _answer(line: Connection) -> None:
    try:
        function, args, kwargs = line.recv()
    except (EOFError, OSError):
        raise
    except Exception as error:  # what came cannot be read here
        return _fail(line, error)
    try:
        line.send((True, function(*args, **kwargs)))
    except BaseException as error:
        return _fail(line, error)


def _fail(line: Connection, error: BaseException) -> None:
    try:
        line.send((False, error))
    except Exception:  # not every exception can be sent
        line.send((False, RuntimeError(f"{type(error).__name__}: {error}")))


def _end_with(line: Connection) -> None:
    """End amid a call, too, when whoever waits for it has ended."""
    waiting = select.poll()
    waiting.register(line.fileno(), 0)  # only the end of the other side wakes it
    waiting.poll()
    os._exit(0)
