"""A process for one hand-in: limits of time, memory and files, and no network where that is here.

It runs no own Python unless the teacher says so, and has a home and a workspace of its own.
"""

import json
import os
import shutil
import signal
import time
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Event
from typing import Any

from core.files.safe_path import open_file
from core.wings.classroom.check_one import ANSWER
from core.worker import child_process

WAIT, ALLOWANCE_S = 3, 60
"""By how much more than its computing time a process may take: times, and seconds."""
UNSHARE = ("unshare", "--map-root-user", "--net", "--")
LARGEST_ANSWER = 4 << 20
LOOK_S = 0.2
ASKED = "request.json"
NOTHING: dict[str, Any] = {"lines": [], "problem": "", "done": False}
FORMS: dict[str, type] = {
    "lines": list, "problem": str, "done": bool, "student": str, "task": str, "fingerprint": str,
    "labels": dict, "own_python": list,
}  # fmt: skip
LINE: dict[str, type] = {"text": str, "points": int, "of": int, "reason": str, "judged": bool}
"""What an answer and a line of it hold: own Python that runs may write anything."""


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
        answer = _read(file)
    except FileNotFoundError:
        answer = dict(NOTHING)
    if not (answer["done"] or answer["problem"]):
        answer["problem"] = _why(ended, limits)
    return answer


def _read(file: Path) -> dict[str, Any]:
    """An answer, or one with a problem where it is too large or none. Raises FileNotFoundError."""
    with open_file(file) as content:
        data = content.read(LARGEST_ANSWER + 1)
    if len(data) > LARGEST_ANSWER:
        problem = (
            f"What was checked of it takes more than {LARGEST_ANSWER >> 20} MB: it is too large."
        )
        return {**NOTHING, "problem": problem}
    answer: Any = None
    with suppress(ValueError):
        answer = json.loads(data)
    return answer if _is_answer(answer) else {**NOTHING, "problem": "Its answer cannot be read."}


def _is_answer(answer: Any) -> bool:
    if not _has(answer, FORMS, NOTHING):
        return False
    counts, own = answer.get("labels", {}).values(), answer.get("own_python", [])
    are_lines = all(_has(line, LINE, LINE) for line in answer["lines"])
    return are_lines and all(type(n) is int for n in counts) and all(type(n) is str for n in own)


def _has(value: Any, forms: Mapping[str, type], needed: Iterable[str]) -> bool:
    """Whether a value is an object of these keys and types alone, with all that are needed."""
    if not isinstance(value, dict) or not set(needed) <= value.keys() <= forms.keys():
        return False
    return all(type(each) is forms[key] for key, each in value.items())


def _why(ended: int | None, limits: SandboxLimits) -> str:
    """Why a process left no whole answer."""
    if ended is None or ended == -signal.SIGXCPU:
        return f"It took more than {limits.seconds} s of computing."
    if ended < 0:
        return f"Its process was ended by the system (signal {-ended})."
    return f"Its process ended before it had an answer (status {ended})."
