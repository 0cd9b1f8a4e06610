"""The process that trains: `python -m core.worker.main RUN_DIR`, under any launcher.

With `--spare` for a folder it imports everything first and reads the folder from standard input;
behind everybody's work, unless `--wanted` follows.
What it prints goes to log.txt, and is dropped where the disk refuses it.

With RANK and WORLD_SIZE in its environment, as torchrun and our supervisor set them, it is one of
several processes that train the run together.

Exit status: 0 finished, stopped or paused; 1 failed, said in status.json; 75 already running; of a
rank also 76 where another one ended, and 77 where it has left its error to rank 0.
"""

import gc
import io
import json
import os
import signal
import sys
import threading
import time
import traceback
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from core.common.errors import Diverged, FolderGone
from core.files.home import account
from core.runs.files import (
    THREADS,
    WORKER_LOCK,
    folder_identity,
    read_json,
    read_status,
    remove_leftovers,
    take_lock,
)
from core.runs.files import threads_of as named_threads
from core.runs.status import Status
from core.worker import processes
from core.worker.process_end import end_with
from core.worker.setup_retry import prepare_when_disk_allows
from core.worker.supervisor import BEGUN

if TYPE_CHECKING:
    from core.worker.attempt import Attempt
    from core.worker.run_loop import RunLoop

BUSY = 75
LOW = 10
"""Nice value of imports for a run that is not requested yet."""


def main(run_dir: Path) -> int:
    """Train the run of a folder, going on from its checkpoint where there is one."""
    drop_what_cannot_be_written()
    if account():
        step_behind()
    several = processes.part()
    if several and several.follows():
        set_threads(threads_of(run_dir, read_json(run_dir / "spec.json")))
        return several.follow(run_dir)
    lock = take_lock(run_dir / WORKER_LOCK, wait_s=1.0)
    if lock is None:
        return BUSY
    remove_leftovers(run_dir)
    identity = folder_identity(run_dir)
    spec = read_json(run_dir / "spec.json")
    status = Status(run_dir, read_status(run_dir))
    status.write(phase="importing torch")
    stop: list[Any] = []
    signal.signal(signal.SIGTERM, lambda *_: stop.append("SIGTERM"))
    set_threads(threads_of(run_dir, spec))
    from core.worker.attempt import Attempt  # it imports torch, after the threads are set

    attempt = Attempt(run_dir, spec, status)
    try:
        return _train(attempt, stop)
    except FolderGone as error:
        print(error, file=sys.stderr)  # noqa: T201
        return 1
    except BaseException as error:
        if folder_identity(run_dir) != identity:
            raise  # whatever has taken its place is not ours to write to
        return fail(attempt, error)


def _train(attempt: "Attempt", stop: list[Any]) -> int:
    """Train a run, with other processes where there are some; the exit status.

    Raises whatever goes wrong.
    """
    if several := processes.part():
        return several.train(attempt, partial(_trained, attempt, stop))
    _trained(attempt, stop)
    return 0


def _trained(
    attempt: "Attempt", stop: list[Any], begin: "Callable[[RunLoop], None] | None" = None
) -> bool:
    """Prepare a run and train it; False where it was stopped before.

    begin: called between the two. Raises whatever goes wrong.
    """
    from core.worker.setup import prepare, stop_on_signal

    loop = prepare_when_disk_allows(attempt, lambda: prepare(attempt), stop)
    if loop is None:
        return False
    gc.collect()
    gc.freeze()
    stop_on_signal(loop, stop)
    if begin:
        begin(loop)
    loop.run()
    return True


def threads_of(run_dir: Path, spec: Mapping[str, Any]) -> int:
    """The number of threads of a run: the fastest measured one, else that of its spec."""
    stored = read_json(run_dir / THREADS).get("count")
    return stored if isinstance(stored, int) else named_threads(spec, run_dir.name)


def set_threads(count: int) -> None:
    """Compute with so many threads, whether torch is imported already or not."""
    for name in ("OMP_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ[name] = str(count)
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    import torch

    torch.set_num_threads(count)


def fail(attempt: "Attempt", error: BaseException) -> int:
    """Say what happened in status.json and events.jsonl, with the details in log.txt.

    Nothing that fails on the way hides it: a full disk may refuse all of that.
    """
    if isinstance(error, KeyboardInterrupt | SystemExit):
        raise error
    status, run_error = attempt.status, attempt.explain(error)
    if run_error is not error:
        traceback.print_exception(error)
    print(time.strftime("%H:%M:%S"), run_error, file=sys.stderr)  # noqa: T201
    kind = "diverged" if isinstance(run_error, Diverged) else "failed"
    more = {"bad_step": run_error.step} if isinstance(run_error, Diverged) else {}
    attempt.event(kind, run_error.message, hint=run_error.hint, subject=run_error.subject, **more)
    origin = _origin(attempt, run_error) if isinstance(run_error, Diverged) else None
    if origin:
        attempt.event("origin", origin["message"], node=origin["node"], bad_step=origin["step"])
    begins = origin if origin and not origin["rate"] else None
    attempt.reporter.note_late()
    more = {
        "state": "failed",
        "message": begins["message"] if begins else run_error.message,
        "hint": begins["hint"] if begins else run_error.hint,
        "origin": origin,
    }
    status.write(**more, durable=True)
    return 1


def _origin(attempt: "Attempt", diverged: Diverged) -> dict[str, Any] | None:
    """Where it began; looking for it may fail in any way without hiding what happened."""
    try:
        return attempt.origin(diverged)
    except Exception as error:
        traceback.print_exception(error)
        attempt.status.warn(f"The origin could not be found: {type(error).__name__}.")
        return None


def _import_everything() -> None:
    from core.worker import preload

    set_threads(1)
    preload.preload()


def step_behind() -> None:
    """Let this thread, and those that it starts, work behind everybody else's.

    A run of a class does: thirty people edit on the processors on which it trains.
    """
    if sys.platform == "linux":
        mine = os.PRIO_PROCESS, threading.get_native_id()
        os.setpriority(*mine, max(LOW, os.getpriority(*mine)))


def lower_priority(work: Callable[[], None]) -> None:
    """Do it behind everybody else's work: while a spare is made, somebody draws.

    On Linux a thread has a priority of its own, so the run is not held back by it later.
    """

    def gently() -> None:
        step_behind()
        work()

    with ThreadPoolExecutor(1) as aside:
        aside.submit(gently).result()


def wait_for_run(wanted: bool = False) -> int:
    """Import everything, say so, wait for the one run this process will train.

    wanted: whether that run is about to come: then only what each run needs is imported, as fast
    as may be. Ends when whoever started it is gone.
    """
    if wanted:
        set_threads(1)
        from core.worker import setup  # noqa: F401
    else:
        lower_priority(_import_everything)
    os.write(1, b"ready\n")
    line = sys.stdin.buffer.readline()
    if not line:
        return 0
    job = json.loads(line)
    os.environ.clear()
    os.environ.update(job["env"])
    run_dir = Path(job["run_dir"])
    take_up(run_dir)
    return main(run_dir)


def take_up(run_dir: Path) -> None:
    """Tell the supervisor that the run is ours, which until then it would start anew elsewhere."""
    log = os.open(run_dir / "log.txt", os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o666)
    with suppress(BrokenPipeError):  # without its supervisor a run goes on all the same
        os.write(1, BEGUN)
    for number in (1, 2):
        os.dup2(log, number)
    os.close(log)


class _Dropping(io.TextIOWrapper):
    """A text stream that loses what cannot be written, instead of ending whoever prints."""

    def write(self, text: str, /) -> int:
        with suppress(OSError):
            return super().write(text)
        return len(text)

    def flush(self) -> None:
        with suppress(OSError):
            super().flush()


def drop_what_cannot_be_written() -> None:
    """Let nothing that this process prints fail, as on a full disk."""
    for name in ("stdout", "stderr"):
        stream: Any = getattr(sys, name)
        if type(stream) is io.TextIOWrapper:  # not what a test has put in its place
            raw = io.FileIO(stream.fileno(), "wb", closefd=False)
            plain = _Dropping(raw, "utf-8", "backslashreplace", write_through=True)  # type: ignore
            setattr(sys, name, plain)


def _work() -> int:
    if sys.argv[1] == "--spare":
        return wait_for_run("--wanted" in sys.argv)
    return main(Path(sys.argv[1]))


if __name__ == "__main__":
    end_with(_work)
