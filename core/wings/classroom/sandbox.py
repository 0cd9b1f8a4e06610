"""A process for one hand-in: limits of time, memory and files, and no network where that is here.

It runs no own Python unless the teacher says so, and has a home and a workspace of its own.
"""

import json
import os
import shutil
import signal
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Event
from typing import Any

from core.wings.classroom.check_one import ANSWER
from core.worker import child_process

WAIT, ALLOWANCE_S = 3, 60
"""By how much more than its computing time a process may take: times, and seconds."""
UNSHARE = ("unshare", "--map-root-user", "--net", "--")
LARGEST_ANSWER = 4 << 20
LOOK_S = 0.2
ASKED = "request.json"


@dataclass(frozen=True)
class SandboxLimits:
    """What a hand-in may take. seconds: of computing; memory: bytes beside those of torch."""

    seconds: int = 120
    memory: int = 4_000_000_000


@cache
def without_network() -> tuple[str, ...]:
    """The words before a command that has no network then; () where the system has no such way."""
    program = shutil.which(UNSHARE[0])
    if not program:
        return ()
    words = (program, *UNSHARE[1:])
    try:
        tried = child_process.run([*words, "true"], timeout_s=10)
    except (OSError, child_process.TimeoutExpired):
        return ()
    return words if tried.returncode == 0 else ()


def in_force(limits: SandboxLimits, trust: bool) -> str:
    """What holds while hand-ins are checked, in a sentence each."""
    network = "no network" if without_network() else "the network is not blocked on this system"
    python = "own Python runs (--trust)" if trust else "own Python does not run"
    return (
        f"Each hand-in is checked in a process of its own: at most {limits.seconds} s of computing "
        f"and {limits.memory / 1e9:g} GB of memory, {network}, {python}."
    )


def check(
    module: str, request: Mapping[str, Any], limits: SandboxLimits, stop: Event
) -> dict[str, Any]:
    """Run a module on a request; its answer, as far as it came, with `problem` where it ended.

    module: calls `check_one.main`. stop: once it is set, the process is ended. Raises OSError
    where no process can be started.
    """
    with TemporaryDirectory(prefix="layerloom-") as name:
        folder, asked = Path(name), Path(name) / ASKED
        given = {**request, "folder": name, "seconds": limits.seconds, "memory": limits.memory}
        asked.write_text(json.dumps(given), "utf-8")
        places = {n: name for n in ("LAYERLOOM_HOME", "LAYERLOOM_WORKSPACE", "LAYERLOOM_RUNS")}
        more = {
            **places,
            "LAYERLOOM_PYTHON": "on" if request["trust"] else "off",
            "LAYERLOOM_BESIDE": request["beside"],
            "OMP_NUM_THREADS": "1",
        }
        process = child_process.start(
            [*without_network(), *child_process.module(module, str(asked))],
            more=more,
            own_session=True,
        )
        ended = _finish(process, limits, stop)
        return _answer(folder / ANSWER, ended, limits)


def _finish(process: Any, limits: SandboxLimits, stop: Event) -> int | None:
    """Wait for a process; its exit code, None where it was ended as it took too long."""
    end = time.monotonic() + WAIT * limits.seconds + ALLOWANCE_S
    try:
        while time.monotonic() < end and not stop.is_set():
            with suppress(child_process.TimeoutExpired):
                return process.wait(LOOK_S)
        return None
    finally:
        _end(process)


def _end(process: Any) -> None:
    """End a process and all that it started: they are one session."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        return  # it has ended, and left nothing
    finally:
        process.wait()


def _answer(file: Path, ended: int | None, limits: SandboxLimits) -> dict[str, Any]:
    try:
        with file.open("rb") as content:
            answer = json.loads(content.read(LARGEST_ANSWER))
    except FileNotFoundError:
        answer = {"lines": [], "problem": "", "done": False}
    if not (answer["done"] or answer["problem"]):
        answer["problem"] = _why(ended, limits)
    return answer


def _why(ended: int | None, limits: SandboxLimits) -> str:
    """Why a process left no whole answer."""
    if ended is None or ended == -signal.SIGXCPU:
        return f"It took more than {limits.seconds} s of computing."
    if ended < 0:
        return f"Its process was ended by the system (signal {-ended})."
    return f"Its process ended before it had an answer (status {ended})."
