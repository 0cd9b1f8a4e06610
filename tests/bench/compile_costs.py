"""What compiling a network's step costs, and what whole runs come to that compile by themselves."""

import os
import random
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest.mock import patch

from core.engine.compile_cache import VARIABLE
from core.engine.trainer import Trainer
from core.project import Project
from tests.bench.auto_templates import trained
from tests.bench.engine_tasks import Task

WHOLE_RUN = 200  # epochs
LEAST_TURNS, MOST_TURNS = 3, 25  # of whole runs, which are repeated
TOGETHER_S = 60.0  # ... until those of one way took so long
OFF, AUTO, AGAIN = "off", "auto", "auto again"
Runs = dict[str, list[dict[str, Any]]]
"""{"seconds", "compiled"} of each run: with `compile_step: off`, with auto, and with auto where the
step is kept on the disk, for networks that change over."""


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


def whole_runs(project: Project) -> Runs:
    """Train each way by turns, in random order, three times at least and short runs more often."""
    found: Runs = {OFF: [], AUTO: [], AGAIN: []}
    while not complete(found):
        with tempfile.TemporaryDirectory() as folder:  # nothing is kept from an earlier turn
            for kind in random.sample((OFF, AUTO), 2):
                found[kind].append(_run(project, Path(folder), kind))
            if found[AUTO][-1]["compiled"]:
                found[AGAIN].append(_run(project, Path(folder), AUTO))
    return found


def _run(project: Project, folder: Path, how: str) -> dict[str, Any]:
    settings = {"epochs": WHOLE_RUN, "patience": None, "max_minutes": None, "threads": 1}
    runs = Path(tempfile.mkdtemp(dir=folder))
    with patch.dict(os.environ, {VARIABLE: str(folder / "compiled")}):
        run = trained(project, runs, compile_step=how, **settings)
    return {key: run[key] for key in ("seconds", "compiled")}


def complete(found: Runs) -> bool:
    """Whether the whole runs are there: enough of them to outweigh the noise of short ones."""
    together, turns = sum(run["seconds"] for run in found[OFF]), len(found[OFF])
    return turns == MOST_TURNS or (turns >= LEAST_TURNS and together >= TOGETHER_S)
