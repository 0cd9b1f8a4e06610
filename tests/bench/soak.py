"""A class that trains, for long: `python -m tests.bench.soak [MINUTES] [STUDENTS]`.

Students as in thirty_students edit LeNet and turn pages, each something every 10 s. Meanwhile runs
of their projects are started and stopped, half of them by a second request at once, while the
server has them on its pages. What fails is counted and named; memory is that of the server and its
workers after everybody has sat down, and at the end. The figures go to tests/bench/soak.md.
"""
# ruff: noqa: T201

import asyncio
import collections
import datetime
import os
import platform
import random
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import streamlit
import torch

from core.analyse import analyse_project
from core.errors import LayerloomError
from core.prepare.create import prepare
from core.project import open_project
from core.runs import listing
from core.runs.listing import view_run
from core.worker import launch
from tests.bench.thirty_students import (
    EVERY_S,
    LENET,
    PAGES,
    STUDENTS,
    Student,
    sit_down,
    worst,
    write_looping,
)
from tests.bench.workbench import memory_mb, server

FIGURES = Path(__file__).with_name("soak.md")
MINUTES = 60.0
AT_ONCE = 2
"""Trainings that are under way at any time."""
SETTINGS = {"epochs": 1000, "threads": 1, "device": "cpu"}
STOP_S = 60.0


@dataclass
class Soak:
    """What came of it. waits: seconds of edits and pages. ended: runs by how their stop went."""

    waits: dict[str, list[float]] = field(default_factory=lambda: {"edit": [], "page": []})
    errors: list[str] = field(default_factory=list[str])
    ended: "collections.Counter[str]" = field(default_factory=collections.Counter)
    memory: list[float] = field(default_factory=list[float])


async def learns(student: Student, until: float, soak: Soak) -> None:
    """Three edits, then a page, until the time is over."""
    await asyncio.sleep(random.Random(student.file).uniform(0, EVERY_S))
    number = 0
    while time.monotonic() < until:
        began = time.monotonic()
        try:
            if number % 4 < 3:
                soak.waits["edit"].append(await student.edit())
            else:
                soak.waits["page"].append(await student.visit(PAGES[number // 4 % len(PAGES)]))
        except (Exception, SystemExit) as error:
            soak.errors.append(f"{student.file}: {type(error).__name__}: {error}")
        number += 1
        await asyncio.sleep(max(0.0, EVERY_S - (time.monotonic() - began)))


async def trains(files: Sequence[Path], runs: Path, until: float, soak: Soak, seed: int) -> None:
    """Start a run, let it train a while, stop it, and so on."""
    chance = random.Random(seed)
    while time.monotonic() < until:
        try:
            soak.ended[await asyncio.to_thread(_run, chance, files, runs)] += 1
        except (LayerloomError, OSError) as error:
            soak.errors.append(f"a training: {type(error).__name__}: {error}")


def _run(chance: random.Random, files: Sequence[Path], runs: Path) -> str:
    """Train one project and stop it; how it ended."""
    project = open_project(chance.choice(files))
    run_dir = prepare(project, analyse_project(project), runs, SETTINGS)
    launch.start(run_dir)
    time.sleep(chance.uniform(0, 20))
    launch.stop(run_dir)
    if chance.random() < 0.5:
        launch.stop(run_dir)
    if not launch.wait(run_dir, STOP_S):
        return "did not end"
    return str(view_run(run_dir).state)


async def soaked(address: str, pid: int, folder: Path, count: int, seconds: float) -> Soak:
    """Let the class work for so long."""
    files = [folder / f"student_{number:02}.loom.json" for number in range(count)]
    soak, runs = Soak(), folder / "runs"
    students = await asyncio.gather(*(sit_down(address, file.name) for file in files))
    for page in PAGES:
        await students[0].visit(page)
    soak.memory.append(memory_mb(pid))
    until = time.monotonic() + seconds
    work = [learns(student, until, soak) for student in students]
    work += [trains(files, runs, until, soak, seed) for seed in range(AT_ONCE)]
    await asyncio.gather(*work)
    soak.memory.append(memory_mb(pid))
    left = [run.name for run in runs.glob("*/") if listing.alive(run)]
    soak.errors += [f"{name} still runs" for name in left]
    return soak


def measure(count: int, minutes: float) -> Soak:
    """Soak a server of its own."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
        folder = Path(name)
        for number in range(count):
            shutil.copyfile(LENET, folder / f"student_{number:02}.loom.json")
        os.environ |= {"LAYERLOOM_RUNS": str(folder / "runs"), "LAYERLOOM_WORKSPACE": str(folder)}
        os.environ |= {"LAYERLOOM_TOKEN": "", "LAYERLOOM_HOME": str(folder)}
        write_looping(folder)
        with server(folder / "student_00.loom.json", folder) as (address, pid):
            return asyncio.run(soaked(address, pid, folder, count, 60 * minutes))


def report(soak: Soak, count: int, minutes: float, load: float) -> str:
    """The figures as Markdown."""
    rows = [
        f"| {name} | {len(v)} | {statistics.median(v):.3f} | {worst(v):.3f} | {max(v):.3f} |"
        for name, v in soak.waits.items()
        if v
    ]
    how = ", ".join(f"{many} {state}" for state, many in sorted(soak.ended.items()))
    day = datetime.datetime.now(datetime.UTC).date().isoformat()
    lines = [
        f"# {count} students for {minutes:g} minutes, with trainings and stops",
        "",
        f"{len(soak.errors)} errors in {sum(map(len, soak.waits.values()))} actions and"
        f" {sum(soak.ended.values())} trainings ({how}). The server with its workers held"
        f" {soak.memory[0]:,.0f} MB at the start and {soak.memory[-1]:,.0f} MB at the end.",
        "",
        f"Measured on {day} by `python -m tests.bench.soak {minutes:g} {count}` with Streamlit"
        f" {streamlit.__version__}, torch {torch.__version__}, Python {platform.python_version()}"
        f" on {os.cpu_count()} processors (load before: {load:.1f}). Seconds.",
        "",
        "| | count | median | 95 of 100 | slowest |",
        "|---|---|---|---|---|",
        *rows,
        "",
        f"Each student has an own tab and does something every {EVERY_S:.0f} s: three edits, then a"
        f" page ({', '.join(PAGES)} in turn). {AT_ONCE} runs train at any time; each is stopped"
        " after at most 20 s, every other one by a second request at once.",
    ]
    return "\n".join([*lines, *(f"- {error}" for error in soak.errors[:20])]) + "\n"


def main(words: Sequence[str]) -> int:
    """Measure, print and write down; status 1 where something failed."""
    load = os.getloadavg()[0]
    minutes = float(words[0]) if words else MINUTES
    count = int(words[1]) if len(words) > 1 else STUDENTS
    soak = measure(count, minutes)
    text = report(soak, count, minutes, load)
    print(text)
    FIGURES.write_text(text, encoding="utf-8")
    return int(bool(soak.errors))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
