"""Time a run's start: `python -m tests.bench.engine_start [REPEATS]`.

From `start` to the first line of metrics.jsonl, which is what a page draws its first point from:
cold, and with a warm spare that has imported everything. Wall time, LeNet on the digits.
"""
# ruff: noqa: T201

import os
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from core.analyse import analyse_project
from core.prepare.create import prepare
from core.project import open_project
from core.runs.listing import read_metrics
from core.worker import warm_worker
from core.worker.launch import start, wait

SPARE_S = 120
PROJECT = Path(__file__).resolve().parents[2] / "projects" / "lenet_digits.loom.json"


def warmed() -> float:
    """Have a spare; seconds until it is ready."""
    started = time.monotonic()
    warm_worker.warm()
    while not warm_worker.ready():
        if time.monotonic() > started + SPARE_S:
            raise SystemExit("No spare came: is LAYERLOOM_SPARE 0, or memory short?")
        time.sleep(0.02)
    return time.monotonic() - started


def first_point(project: Any, report: Any, runs_dir: Path) -> tuple[float, float]:
    """Seconds until `start` returns, and until there is something to draw."""
    run_dir = prepare(project, report, runs_dir, {"epochs": 2, "threads": 1})
    started = time.monotonic()
    start(run_dir)
    returned = time.monotonic() - started
    while not read_metrics(run_dir)[0]:
        time.sleep(0.002)
    seen = time.monotonic() - started
    wait(run_dir)
    return returned, seen


def measured(repeats: int) -> tuple[dict[str, list[tuple[float, float]]], list[float]]:
    """What `first_point` says, cold and with a spare; and seconds until a spare is ready."""
    project = open_project(PROJECT)
    report = analyse_project(project)
    with tempfile.TemporaryDirectory() as folder:
        os.environ["LAYERLOOM_HOME"] = str(Path(folder) / "home")
        cold = [first_point(project, report, Path(folder)) for _ in range(repeats)]
        ready, warm = [], []
        for _ in range(repeats):
            ready.append(warmed())
            warm.append(first_point(project, report, Path(folder)))
    return {"cold": cold, "spare": warm}, ready


def main(repeats: int) -> None:
    """Print medians and the slowest, cold and warm."""
    starts, ready = measured(repeats)
    print(f"{'start':8}{'start returns':>16}{'first point':>16}{'slowest':>10}   seconds, medians")
    for name, found in starts.items():
        returned, seen = (statistics.median(column) for column in zip(*found, strict=True))
        print(f"{name:8}{returned:16.3f}{seen:16.3f}{max(s for _, s in found):10.3f}")
    print(f"A spare is ready {statistics.median(ready):.1f} s after it is asked for.")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 5)
