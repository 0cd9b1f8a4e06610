"""What compiling a network's step costs, and what whole runs come to that compile by themselves."""

import os
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any
from unittest.mock import patch

from core.engine.compile_cache import VARIABLE
from core.engine.trainer import Trainer
from core.project import Project
from tests.bench.auto_templates import trained
from tests.bench.engine_tasks import Task

WHOLE_RUN = 200  # epochs
TOGETHER_S, MOST_TURNS = 40.0, 9  # whole runs are repeated until those of one way took so long
RUNS = {"off": "off", "auto": "auto", "auto again": "auto"}
"""Whole runs, in their order, and their `compile_step`."""
Runs = dict[str, list[dict[str, Any]]]
"""Of each way of RUNS: {"seconds", "compiled"} of each of its runs."""


def by_engine(made: Trainer) -> Iterator[int]:
    """The engine's own loop, its metrics drained; epochs that are complete."""
    for moment in made.fit():
        if moment == "tick":
            made.drain_metrics()
        else:
            yield made.epoch


def spent() -> float:
    """Processor seconds of this process and of compilers that it called."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def compiling(task: Task) -> dict[str, float]:
    """{"cold", "kept": processor seconds} with nothing kept on the disk, and once more.

    The second engine stays with the task, to be timed.
    """
    found: dict[str, float] = {}
    with tempfile.TemporaryDirectory() as folder, patch.dict(os.environ, {VARIABLE: folder}):
        for kind in ("cold", "kept"):
            made = task.engine(task.module(), epochs=10**6, patience=None, compile_step="on")
            made.module.train()
            started = spent()
            made.capture()
            if made.captured is None:
                raise SystemExit(made.uncaptured)
            found[kind] = spent() - started
    task.compiled = made, by_engine(made)
    return found


def whole_runs(project: Project) -> Iterator[Runs]:
    """Train each way by turns, short runs several times; all that is there, after each run."""
    found: Runs = {kind: [] for kind in RUNS}
    settings = {"epochs": WHOLE_RUN, "patience": None, "max_minutes": None, "threads": 1}
    with tempfile.TemporaryDirectory() as folder:
        while not complete(found):
            cache = Path(tempfile.mkdtemp(dir=folder))  # nothing is kept from an earlier turn
            for kind, how in RUNS.items():
                with patch.dict(os.environ, {VARIABLE: str(cache)}):
                    runs = Path(tempfile.mkdtemp(dir=folder))
                    run = trained(project, runs, compile_step=how, **settings)
                found[kind].append({key: run[key] for key in ("seconds", "compiled")})
                yield found


def complete(found: Mapping[str, Any]) -> bool:
    """Whether the whole runs are there: enough of them to outweigh the noise of short ones."""
    counts = {len(found[kind]) for kind in RUNS}
    together = sum(run["seconds"] for run in found["off"])
    return len(counts) == 1 and (together >= TOGETHER_S or max(counts) == MOST_TURNS)
