"""Workers of a run on several ranks as forked processes: the code of each, without its imports."""

import os
import signal
import traceback
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import torch

from core.runs.files import read_json
from core.wings.launch.worker.rank_processes import RankProcesses
from core.worker import main
from tests.wings.launch.engine import forked_ranks

assert forked_ranks  # it prepares autograd for forks


class ForkedWorker:
    """A worker of a run, with what RankProcesses needs of a process."""

    def __init__(self, run_dir: Path, env: Mapping[str, str]) -> None:
        self.code: int | None = None
        self.pid = os.fork()
        if self.pid == 0:
            code = 1
            try:
                _redirect(run_dir / "log.txt")
                os.environ.update(env)
                code = main.main(run_dir)
            except BaseException:
                traceback.print_exc()
            finally:
                os._exit(code)

    def poll(self, flags: int = os.WNOHANG) -> int | None:
        """Its exit code, None while it runs."""
        if self.code is None:
            pid, status = os.waitpid(self.pid, flags)
            self.code = os.waitstatus_to_exitcode(status) if pid else None
        return self.code

    def wait(self) -> int | None:
        """Wait for its end."""
        return self.poll(0)

    def terminate(self) -> None:
        """Ask it to end."""
        os.kill(self.pid, signal.SIGTERM)

    def kill(self) -> None:
        """End it."""
        if self.poll() is None:
            with suppress(ProcessLookupError):
                os.kill(self.pid, signal.SIGKILL)


def train_on_ranks(
    run_dir: Path, world: int, watch: Callable[[RankProcesses], None] | None = None
) -> tuple[int, RankProcesses]:
    """Train a run on forked ranks, as its supervisor does; the exit code. watch: called in between,
    before each look at the processes."""
    torch.set_num_threads(1)
    job: dict[str, Any] = {"run_dir": str(run_dir), "ranks": world, "attempt": os.getpid()}
    wanted = lambda: read_json(run_dir / "control.json").get("want") != "stop"  # noqa: E731
    start = lambda env: ForkedWorker(run_dir, env)  # noqa: E731
    processes = RankProcesses(job, start, lambda _: None, wanted)
    if watch:
        watch(processes)
    return processes.wait(), processes


def _redirect(log: Path) -> None:
    file = os.open(log, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o666)
    os.dup2(file, 1)
    os.dup2(file, 2)
