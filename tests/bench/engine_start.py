"""Time a run's start: `python -m tests.bench.engine_start [REPEATS]`; kept in engine_start.md.

From `start`, or from `layerloom train`, to the first line of metrics.jsonl, which is what a page
draws its first point from. Wall time, LeNet on the digits; the ways take turns.

cold: a process of the run's own imports torch. spare: one waits that has imported everything.
command: the whole of `layerloom train`, whose checks import torch, too; its run's process is made
meanwhile. command, cold: the same, with LAYERLOOM_SPARE=0, so that one comes after the other.
import torch: a process that does nothing else, the least that a cold start can take.
"""
# ruff: noqa: T201

import datetime
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import torch

from core.analyse import analyse_project
from core.prepare.create import prepare
from core.project import open_project
from core.runs.listing import read_metrics
from core.worker import warm_worker
from core.worker.launch import start, wait

SPARE_S = 120
ROOT = Path(__file__).resolve().parents[2]
PROJECT = ROOT / "projects" / "lenet_digits.loom.json"
FIGURES = Path(__file__).with_suffix(".md")
COMMANDS = {"command": "1", "command, cold": "0"}
"""What LAYERLOOM_SPARE says."""
Found = dict[str, list[float]]


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


def command(spare: str) -> float:
    """Seconds from `layerloom train` to something to draw, where nothing was checked before."""
    words = ["train", str(PROJECT), "--set", "epochs=2", "--set", "threads=1"]
    with tempfile.TemporaryDirectory() as folder:
        changes = {"LAYERLOOM_HOME": f"{folder}/home", "LAYERLOOM_SPARE": spare}
        started = time.monotonic()
        with subprocess.Popen(
            [sys.executable, "-m", "app.cli", *words, "--runs", folder], cwd=ROOT,
            env=os.environ | changes, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        ) as process:  # fmt: skip
            while not any(map(has_point, Path(folder).glob("*/metrics.jsonl"))):
                if process.poll():
                    raise SystemExit("layerloom train failed.")
                time.sleep(0.002)
            return time.monotonic() - started


def has_point(metrics: Path) -> bool:
    """Whether a file of metrics holds anything."""
    return metrics.stat().st_size > 0


def import_torch() -> float:
    """Seconds of a process that imports torch."""
    started = time.monotonic()
    subprocess.run([sys.executable, "-c", "import torch"], check=True)
    return time.monotonic() - started


def measured(repeats: int) -> Found:
    """Seconds of each way, in turns; "spare is ready" after it is asked for."""
    project = open_project(PROJECT)
    report = analyse_project(project)
    found: Found = {}

    def add(name: str, seconds: float) -> None:
        found.setdefault(name, []).append(seconds)

    with tempfile.TemporaryDirectory() as folder:
        os.environ["LAYERLOOM_HOME"] = str(Path(folder) / "home")
        for _ in range(repeats):
            add("import torch", import_torch())
            add("cold", first_point(project, report, Path(folder))[1])
            add("spare is ready", warmed())
            add("spare", first_point(project, report, Path(folder))[1])
            for name, spare in COMMANDS.items():
                add(name, command(spare))
    return found


def table(found: Found, load: float) -> str:
    """The text of engine_start.md."""
    cold = statistics.median(found["cold"])
    whole = statistics.median(found["command, cold"])
    beside: Mapping[str, Callable[[float], str]] = {
        "import torch": lambda seconds: f"{seconds / cold:.0%} of a cold start",
        "spare": lambda seconds: f"{seconds / cold:.0%} of a cold start",
        "command": lambda seconds: f"{seconds / whole:.0%} of the command, cold",
    }
    rows: list[str] = []
    for name, times in found.items():
        median = statistics.median(times)
        more = beside[name](median) if name in beside else ""
        rows.append(f"| {name} | {median:.2f} | {max(times):.2f} | {more} |")
    return (
        "# From start to first point\n\n"
        f"Measured on {datetime.date.today()} by `python -m tests.bench.engine_start`, which says "
        f"what each is:\n{os.cpu_count()} processors (load before: {load:.1f}), Python "
        f"{platform.python_version()}, torch {torch.__version__}. Seconds, medians of "
        f"{len(found['cold'])}.\n\n"
        "| | median | slowest | |\n|---|---|---|---|\n" + "\n".join(rows) + "\n"
    )


def main(repeats: int) -> None:
    """Measure, print and keep the table."""
    load = os.getloadavg()[0]
    text = table(measured(repeats), load)
    print(text)
    FIGURES.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 5)
