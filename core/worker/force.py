"""Ending what does not answer: the second of the two steps of every stop.

The first request asks and leaves time for a checkpoint; the second ends it, whatever it does. Only
processes that a run wrote down are ended, and what these have started: each is known by its start
time, so that none of another program is.
"""

import os
import signal
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Literal

from core.worker import supervisor

Answer = Literal["asked", "ended"]
"""What a stop did: it asked for one with a checkpoint, or it ended the process."""
ASKED = "stops with a checkpoint; a second stop ends it within 10 seconds."
"""Answer to a first request, after the name of what is to stop."""
AGAIN = "A second stop ends it within 10 seconds."
"""Answer to a first request where somebody waits."""
FINISHED_STAY = f"stops; what is finished stays. {AGAIN}"
"""Answer to a first request, after the name of what makes one thing after the other."""
ENDING = "Stopping now..."
"""Shown while a second request ends something."""
FORCED = "It did not respond and was ended by a second stop."
BEFORE_FIRST_STEP = " before its first step"
OF_ANOTHER = "It was ended with {name}, which it shared a process with."
ASK_S, TERM_S, KILL_S = 2.0, 2.0, 2.0
"""Seconds for an orderly end after a second request, after SIGTERM, and after SIGKILL."""
ELSEWHERE_S = 7.0
"""Seconds for a driver to end its job on another machine before it is ended itself."""
POLL_S = 0.05
Process = dict[str, Any]


def family(process: Mapping[str, Any]) -> list[Process]:
    """All that a process has started and that still runs, the newest generation last."""
    found, parents = list[Process](), {process.get("pid")}
    children = _children()
    while parents:
        born = [child for parent in parents for child in children.get(parent, ())]
        found += [supervisor.identity(pid) for pid in born]
        parents = set(born)
    return found


def _children() -> dict[int | None, list[int]]:
    """The processes of this machine by the one that started them; none where it does not tell."""
    found: dict[int | None, list[int]] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
            found.setdefault(int(fields[1]), []).append(int(stat.parent.name))
        except (OSError, ValueError, IndexError):
            continue  # it has ended meanwhile
    return found


def same(process: Mapping[str, Any]) -> bool:
    """Whether a process that was written down is still that one."""
    pid = process.get("pid")
    return isinstance(pid, int) and pid > 0 and supervisor.identity(pid) == process


def lives(process: Mapping[str, Any]) -> bool:
    """Whether a process that was written down still works, and does not only wait for its parent
    to hear of its end."""
    if not same(process):
        return False
    try:
        stat = Path(f"/proc/{process['pid']}/stat").read_text()
    except OSError:
        return same(process)
    return stat.rpartition(")")[2].split()[:1] != ["Z"]


def send(process: Mapping[str, Any], number: int) -> bool:
    """Signal a process unless its number has gone to another; whether it was signalled."""
    if not same(process):
        return False
    try:
        os.kill(process["pid"], number)
    except OSError:  # it ended meanwhile, or is another user's
        return False
    return True


def end_family(recorded: Mapping[str, Any], gone: Callable[[float], bool]) -> None:
    """End the worker that a proc.json names, its ranks, and what all of them started.

    gone: waits some seconds for the end and tells whether it came. Their supervisor has time to
    write down how they ended, unless it does not respond either.
    """
    shim, worker = recorded.get("shim", {}), recorded.get("worker", {})
    below = [each for known in (shim, worker) if same(known) for each in family(known)]
    for process in (worker, *below):
        send(process, signal.SIGKILL)
    if not gone(KILL_S):
        send(shim, signal.SIGKILL)
        gone(KILL_S)


def end(process: Mapping[str, Any], gone: Callable[[float], bool]) -> None:
    """End a process, and what it has started."""
    end_family({"worker": process}, gone)


def within(seconds: float, done: Callable[[], bool]) -> bool:
    """Wait until something is done; False when the time is over first."""
    deadline = time.monotonic() + seconds
    while not done():
        if time.monotonic() > deadline:
            return False
        time.sleep(POLL_S)
    return True
