"""Which process works on a graph with trusted own Python, so that one that loops delays nobody.

Graphs whose own Python has been analysed before share one process, all others another; graphs
without own Python have neither. A graph that ran out of time is refused at once until it changes.
"""

import hashlib
import json
import math
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, Protocol, TypeVar, TypeVarTuple, cast

from core.common.network_ref import RunWeights, TextRef
from core.files.safe_path import read_file
from core.files.trust import trusted

AGAIN_S = 60.0  # after which a busy machine tries a graph again that ran out of time
MOST_KNOWN = 256
MARK = '"python"'
R = TypeVar("R")
Ts = TypeVarTuple("Ts")
HINT = (
    "Its own Python may run forever ({}). It is checked again once the Python or the drawing "
    "changes."
)


class Worker(Protocol):
    """What works on calls one after the other, each within a time limit."""

    def submit(self, timeout_s: float, function: Callable[[*Ts], R], *args: *Ts) -> R:
        """Run a function. Raises Overrun."""
        ...


class Overrun(Exception):
    """A call took longer than its limit; `message` and `hint` are for the page."""

    def __init__(self, message: str, hint: str = "", busy: bool = False) -> None:
        super().__init__(f"{message} {hint}".strip())
        self.message, self.hint, self.busy = message, hint, busy


def own_blocks(graph_json: Mapping[str, Any]) -> dict[str, str]:
    """The texts of trusted own Python in a graph, by the names of their blocks."""
    parts: Mapping[str, Any] = graph_json.get("composites", {})
    texts = {name: "\n".join(part["python"]) for name, part in parts.items() if "python" in part}
    return {name: text for name, text in texts.items() if trusted(text)}


def concerned(given: Iterable[Any]) -> bool:
    """Whether arguments of a call hold a project with own Python, as text or as a run."""
    return any(_holds(each) for each in given)


def _holds(value: Any) -> bool:
    if isinstance(value, RunWeights):
        return _run_holds(value.folder)
    if isinstance(value, TextRef):
        return MARK in value.text
    if isinstance(value, str):
        return MARK in value
    return isinstance(value, tuple | list) and concerned(cast("Iterable[Any]", value))


def _run_holds(run_dir: Path) -> bool:
    try:
        return MARK.encode() in read_file(run_dir / "project.loom.json")
    except OSError:  # its next reader reports what is wrong with it
        return False


class OwnPython:
    """The two processes for graphs with own Python, made when they are wanted."""

    def __init__(self, make: Callable[[], Worker]) -> None:
        self._make = make
        self._lock = threading.Lock()
        self._workers: dict[bool, Worker] = {}  # by whether all their Python was analysed before
        self._good: set[str] = set()
        self._refused: dict[str, tuple[float, Overrun]] = {}  # until when, and how

    def submit(
        self,
        blocks: Mapping[str, str],
        timeout_s: float,
        function: Callable[[*Ts], R],
        *args: *Ts,
    ) -> R:
        """Run `function(*args)`, which executes the texts of `blocks`. Raises Overrun."""
        key = hashlib.sha256(json.dumps(args, sort_keys=True).encode()).hexdigest()
        self._refuse_known(key)
        texts = set(blocks.values())
        worker, good = self._worker_for(texts)
        try:
            answer = worker.submit(timeout_s, function, *args)
        except Overrun as error:
            raise self._remember(key, texts, error, blocks) from error
        self._approve(texts, good)
        return answer

    def _refuse_known(self, key: str) -> None:
        until, error = self._refused.get(key, (0.0, None))
        if error and time.monotonic() < until:
            raise Overrun(error.message, error.hint)

    def _worker_for(self, texts: set[str]) -> tuple[Worker, bool]:
        with self._lock:
            good = texts <= self._good
            if good not in self._workers:
                self._workers[good] = self._make()
            return self._workers[good], good

    def _remember(
        self, key: str, texts: set[str], error: Overrun, blocks: Mapping[str, str]
    ) -> Overrun:
        """Refuse the graph from now on; on a busy machine, which may be to blame, for a while."""
        hint = error.hint if error.busy else HINT.format(", ".join(sorted(blocks)))
        known = Overrun(error.message, hint)
        with self._lock:
            self._good -= texts
            while len(self._refused) >= MOST_KNOWN:
                del self._refused[next(iter(self._refused))]
            self._refused[key] = time.monotonic() + AGAIN_S if error.busy else math.inf, known
        return known

    def _approve(self, texts: set[str], good: bool) -> None:
        """Its process becomes that of what was analysed before, where there is none yet."""
        with self._lock:
            self._good |= texts
            if not good and True not in self._workers and False in self._workers:
                self._workers[True] = self._workers.pop(False)
