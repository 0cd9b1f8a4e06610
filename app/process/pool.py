"""Worker processes that hold torch, so that the page process never does.

`analyse` answers the canvas in one, `call` does the slower work of feature maps and exports in
another; what executes trusted own Python has processes of its own (`custom_code`). A process that
dies or overruns its time is replaced. Functions are passed as they are: those of modules without
torch, which import what calculates in their bodies (`app.services.calls`).
"""

import concurrent.futures as futures
import contextlib
import importlib
import logging
import multiprocessing
import os
import signal
import threading
import time
import traceback
import weakref
from collections.abc import Callable
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar, TypeVarTuple

from app.process import custom_code
from app.process.low_latency import tidy
from core.common.errors import LayerloomError
from core.common.memory import reserve_limit
from core.common.memory import size as size_text
from core.runs.full_disk import is_full, sentence
from core.worker import child_process

_LOG = logging.getLogger(__name__)
R = TypeVar("R")
Ts = TypeVarTuple("Ts")
_START_S = 60.0
_WAIT_S = 180.0  # longer than any one call may take
_MOST_BUSY = 6.0
LARGE_FILE = 4 << 20
READ_ROOM, READ_TIMES = 1 << 30, 24
"""Bytes that reading a file may take: some for any, and so many times its own."""
BUSY = 2.0  # from which on it is not known whether a network is too large


class PoolError(LayerloomError):
    """A worker process could not answer; `message` is one sentence for the page."""


class _OverrunError(PoolError, custom_code.Overrun):
    """A call took longer than its limit."""

    def __init__(self, message: str, hint: str = "") -> None:
        PoolError.__init__(self, message, hint)
        self.busy = busy() >= BUSY


def _watch_parent() -> None:
    """End this worker when the server dies: its queue alone would keep it waiting for ever."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(0)


def _prepare_to_read() -> None:
    """End with the server, and leave Ctrl-C to it; a reader of files needs no torch."""
    threading.Thread(target=_watch_parent, daemon=True).start()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.environ["OMP_NUM_THREADS"] = os.environ["MKL_NUM_THREADS"] = "1"


def _prepare() -> None:
    """Import torch and the analysis once, single-threaded, and freeze what they leave behind."""
    _prepare_to_read()
    import torch

    torch.set_num_threads(1)
    importlib.import_module("core.analyse")
    tidy.start()


@dataclass(frozen=True)
class _Failure:
    """An exception as text: not every exception survives the way between processes."""

    message: str
    hint: str
    details: str


def _guarded(function: Callable[[*Ts], R], *args: *Ts) -> R | _Failure:
    tidy.worked()
    try:
        return function(*args)
    except BaseException as error:  # own Python raises anything; the server goes on
        return _failure(error)


def _failure(error: BaseException) -> _Failure:
    try:
        message, hint = _error_message(error)
    except BaseException as fault:  # its words may be own Python, too
        why = f"the reason is unknown, as reading it raises {type(fault).__name__}"
        message, hint = f"{type(error).__name__}: {why}", ""
    details = "".join(traceback.format_exception(error))
    parts = (part.encode("utf-8", "backslashreplace").decode() for part in (message, hint, details))
    return _Failure(*parts)


def _error_message(error: BaseException) -> tuple[str, str]:
    if typed := getattr(error, "message", ""):
        return str(typed), str(getattr(error, "hint", ""))
    if short := _short_of_memory(error):
        return short, "Make the network or the batch smaller."
    if isinstance(error, OSError) and is_full(error):
        words = sentence("A file cannot be written", Path(str(error.filename or ".")))
        return words, "Free some space and try again."
    first = str(error).strip().partition("\n")[0]
    plain = f"{type(error).__name__}: {first}" if first else type(error).__name__
    return plain, str(getattr(error, "hint", ""))


def _short_of_memory(error: BaseException) -> str:
    from core.engine.step_errors import is_memory
    from core.worker.error_messages import out_of_memory_message

    return out_of_memory_message(error) if is_memory(error) else ""


def _within_memory(function: Callable[[*Ts], R], *args: *Ts) -> R:
    import torch

    if not torch.cuda.is_available():
        reserve_limit()
    return function(*args)


def _analyse(
    graph_json: dict[str, Any],
    name: str,
    data: dict[str, Any],
    training: dict[str, Any],
    specialised: tuple[str, ...] = (),
) -> dict[str, Any]:
    from core.analyse import analyse_project, report_json
    from core.project import Project, graph_from_json

    graph = graph_from_json(graph_json)
    project = Project(name, "", graph, data, training, specialised=specialised)
    return report_json(analyse_project(project))


def busy() -> float:
    """How many processes want each processor of this machine, from 1 to 6 (load average, 1 min)."""
    wanted = os.getloadavg()[0] / (os.cpu_count() or 1)
    return min(max(wanted, 1.0), _MOST_BUSY)


class _Limit:
    """A time limit on a quiet machine; on a busy one as much longer as work takes there."""

    def __init__(self, quiet_s: float) -> None:
        self.quiet_s = quiet_s

    @property
    def seconds(self) -> float:
        return self.quiet_s * busy()

    @property
    def hint(self) -> str:
        if busy() >= BUSY:
            return "This machine is busy with other work: try again in a minute."
        return "Make the network smaller and try again."

    def wait(self, answer: "futures.Future[R]") -> R:
        """The answer. Raises TimeoutError when the limit, as it is by then, is over."""
        began = time.monotonic()
        while True:
            left = began + self.seconds - time.monotonic()
            try:
                return answer.result(max(left, 0))
            except futures.TimeoutError:
                if left <= 0:
                    raise


_every: "weakref.WeakSet[WorkerProcess]" = weakref.WeakSet()


class WorkerProcess:
    """One worker process with a time limit on each call."""

    def __init__(self, name: str, light: bool = False) -> None:
        self.name, self.light = name, light
        _every.add(self)
        self._lock, self._turn = threading.Lock(), threading.Lock()
        self._executor: child_process.Pool | None = None
        self._pid: futures.Future[int] | None = None

    def warm(self) -> None:
        """Start the process without waiting for it."""
        self._ready()

    def pid(self) -> int:
        """Return the id of the worker process, starting it if need be."""
        return self._ready()[1].result(_START_S)

    def submit(self, timeout_s: float, function: Callable[[*Ts], R], *args: *Ts) -> R:
        """Run `function(*args)` in the worker. Raises PoolError.

        timeout_s: on a quiet machine; a busy one has as much more as it is slower. Earlier calls
        come first and do not count against the time of this one.
        """
        if not self._turn.acquire(timeout=_WAIT_S):
            raise PoolError(f"{self.name} is busy with other work.", "Try again in a minute.")
        try:
            return self._run(timeout_s, function, *args)
        finally:
            self._turn.release()

    def _run(self, timeout_s: float, function: Callable[[*Ts], R], *args: *Ts) -> R:
        executor, pid = self._ready()
        limit = _Limit(_START_S)
        try:
            limit.wait(pid)  # the imports of a fresh worker do not count against the call
            limit = _Limit(timeout_s)
            answer = limit.wait(executor.submit(_guarded, function, *args))
        except futures.TimeoutError as error:
            self._discard(executor, pid)
            message = f"{self.name} took longer than {limit.seconds:.3g} s and was stopped."
            raise _OverrunError(message, limit.hint) from error
        except (BrokenProcessPool, futures.CancelledError) as error:
            self._discard(executor, pid)
            message = f"{self.name} ended unexpectedly; its process has been replaced."
            hint = "Try again; if it happens again, memory may be short."
            raise PoolError(message, hint) from error
        if isinstance(answer, _Failure):
            _LOG.info("%s failed:\n%s", self.name, answer.details)
            raise PoolError(answer.message, answer.hint)
        return answer

    def close(self) -> None:
        """End the process."""
        if self._executor is not None and self._pid is not None:
            self._discard(self._executor, self._pid)

    def _ready(self) -> "tuple[child_process.Pool, futures.Future[int]]":
        with self._lock:
            if self._executor is None or self._pid is None:
                prepare = _prepare_to_read if self.light else _prepare
                self._executor = child_process.pool(prepare)
                self._pid = self._executor.submit(os.getpid)
            return self._executor, self._pid

    def _discard(self, executor: "child_process.Pool", pid: futures.Future[int]) -> None:
        with self._lock:
            if self._executor is executor:
                self._executor = self._pid = None
        if pid.done() and not pid.cancelled() and pid.exception() is None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid.result(), signal.SIGKILL)
        executor.shutdown(wait=False, cancel_futures=True)


CHECK, CALCULATION = "The check of the network", "The calculation"
_analysis, _work = WorkerProcess(CHECK), WorkerProcess(CALCULATION)
_own_analysis = custom_code.OwnPython(lambda: WorkerProcess(CHECK))
_own_work = WorkerProcess(CALCULATION)


def warm_up() -> None:
    """Start the two everybody needs in the background; called once when the server starts."""
    _analysis.warm()
    _work.warm()


def analyse(
    graph_json: dict[str, Any],
    name: str = "Network",
    data: dict[str, Any] | None = None,
    training: dict[str, Any] | None = None,
    timeout_s: float = 10,
    specialised: tuple[str, ...] = (),
) -> dict[str, Any]:
    """Return the report on a graph (`report_json`), as part of a project. Raises PoolError.

    data, training, specialised: the project's, for warnings of training mistakes and of what an
    import decided by one sample.
    """
    of = (graph_json, name, data or {}, training or {}, specialised)
    if not (own := custom_code.own_blocks(graph_json)):
        return _analysis.submit(timeout_s, _analyse, *of)
    try:
        return _own_analysis.submit(own, timeout_s, _analyse, *of)
    except custom_code.Overrun as error:
        raise PoolError(error.message, error.hint) from error


def call(function: Callable[[*Ts], R], *args: *Ts, timeout_s: float = 60) -> R:
    """Run a function in the worker, in the memory that is free; arguments and result must pickle.

    What the function raises arrives as PoolError with the same message and hint.
    """
    return _worker_for(args).submit(timeout_s, _within_memory, function, *args)


def _worker_for(given: tuple[Any, ...]) -> WorkerProcess:
    """What executes own Python must not keep the others waiting."""
    return _own_work if custom_code.concerned(given) else _work


def work(process: WorkerProcess, function: Callable[[*Ts], R], *args: *Ts, timeout_s: float) -> R:
    """Run a function in a process of one's own. Raises PoolError, as `call` does."""
    return process.submit(timeout_s, _within_memory, function, *args)


def run(function: Callable[[*Ts], R], *args: *Ts, timeout_s: float = 60) -> R:
    """Run a function in the worker without a limit on memory. Raises PoolError."""
    return _worker_for(args).submit(timeout_s, function, *args)


def alone(label: str, function: Callable[[*Ts], object], *args: *Ts, timeout_s: float) -> None:
    """Run a function in a process made for it, so that nothing waits for it.

    label: the beginning of a sentence on how it ended, "The download". Raises PoolError.
    """
    process = WorkerProcess(label)
    try:
        work(process, function, *args, timeout_s=timeout_s)
    finally:
        process.close()


def read(size: int, function: Callable[[*Ts], R], *args: *Ts, timeout_s: float = 60) -> R:
    """Run a function that reads a file from outside. Raises PoolError.

    size: of the file in bytes. A large one is read in a process made for it, whose memory follows
    from that size: nobody else waits for it, and what it took goes with it.
    """
    if size < LARGE_FILE:
        return run(function, *args, timeout_s=timeout_s)
    process = WorkerProcess("Reading the file", light=True)
    try:
        return process.submit(timeout_s, _within, READ_ROOM + READ_TIMES * size, function, *args)
    finally:
        process.close()


def _within(room: int, function: Callable[[*Ts], R], *args: *Ts) -> R:
    reserve_limit(room)
    try:
        return function(*args)
    except MemoryError as error:
        message = f"The file takes more than {size_text(room)} of memory to read."
        raise PoolError(message, "Use a part of it.") from error


def close() -> None:
    """End every worker, whatever it does; called when the server stops.

    One that goes on would keep the server until it has done: Python waits for it at its end.
    """
    for process in list(_every):
        process.close()
