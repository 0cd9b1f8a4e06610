"""Compile the step of a run that trains: `python -m core.worker.compile_ahead RUN_DIR`.

Behind everybody else's work, in a process of its own, one for each user at a time. What comes of it
is kept in the cache, where the run finds it; on standard output it says what that would gain. Its
standard input is the run: it ends where that does.
"""

import json
import os
import sys
import threading
import time
from contextlib import suppress
from dataclasses import asdict
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from core.runs.files import THREADS, read_json, take_lock

if TYPE_CHECKING:
    from core.worker.change_over import CompileReport

LOWEST = 19  # nice value


def main(run_dir: Path) -> int:
    """Compile, measure and tell; 75 where another process of this user does so."""
    threading.Thread(target=_end_with_the_run, daemon=True).start()
    if hasattr(os, "nice"):
        os.nice(LOWEST)
    from core.engine.compile_cache import COMPILING, kept_in
    from core.worker.change_over import BUSY, CompileReport  # imports torch: after it is nice
    from core.worker.main import set_threads

    folder = kept_in()
    if folder is None:
        return _report(CompileReport(why="there is no private folder of this user to save it in"))
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    lock = take_lock(folder / COMPILING)
    if lock is None:
        return BUSY
    stored = read_json(run_dir / THREADS).get("count")
    spec = read_json(run_dir / "spec.json")
    set_threads(stored if isinstance(stored, int) else int(spec.get("threads", 1)))
    return _report(compiled(run_dir, spec))


def compiled(run_dir: Path, spec: dict[str, Any]) -> "CompileReport":
    """Compile the step of a run twice: for the cache, and from it."""
    from core.worker.attempt import Attempt
    from core.worker.build import rehearse
    from core.worker.change_over import CompileReport
    from core.worker.run_inputs import read

    unheard: Any = _Unheard()
    attempt = Attempt(run_dir, spec, unheard)
    started = time.thread_time()
    import_module("torch._inductor")  # takes seconds, also of whoever takes it over
    from core.engine.compiled_step import found_compiled

    ready_s = time.thread_time() - started
    engine = rehearse(read(attempt)[0])
    engine.module.train()
    engine.capture()
    if engine.captured is None:
        return CompileReport(why=engine.uncaptured)
    hits, started = found_compiled(), time.thread_time()
    engine.capture()
    ready_s += time.thread_time() - started
    needed = hits + 1 + bool(engine.captured_last)
    return CompileReport(*engine.captured.timed(), ready_s, found_compiled() >= needed)


class _Unheard:
    """The status of a run in a process that is not the run's."""

    def __init__(self) -> None:
        self.fields = dict[str, Any]()

    def write(self, **_: Any) -> None:
        """Nobody reads it."""

    def warn(self, _: str) -> None:
        """Not needed: the run reports it itself."""


def _end_with_the_run() -> None:
    with suppress(OSError):
        sys.stdin.buffer.read()
    os._exit(0)


def _report(report: "CompileReport") -> int:
    print(json.dumps(asdict(report)), flush=True)  # noqa: T201
    return 0


if __name__ == "__main__":
    os._exit(main(Path(sys.argv[1])))  # compilers complain of what they leave behind
