"""A class that trains, for long: `python -m tests.bench.soak [--minutes N] [--students N]`.

Students as in thirty_students edit LeNet and turn pages, each something every 10 s. Meanwhile some
of them press Train, Stop, Stop now and Resume on their Train page, over the same sockets. Whatever
a page shows as an error counts as one. The figures go to tests/bench/soak.md, and are written anew
every ten minutes.
"""
# ruff: noqa: T201

import argparse
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

from core.runs import listing
from core.runs.run_state import ENDED
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
MINUTES, SPAN_S = 60.0, 600.0
AT_ONCE = 2
"""Students who train at any time."""
TRAINS_S = 20.0
WAIT_S = 120.0


@dataclass
class Seat:
    """A student and what is theirs. in_use: one thing at a time is said on a socket."""

    student: Student
    in_use: asyncio.Lock = field(default_factory=asyncio.Lock)
    trains: bool = False


@dataclass
class Span:
    """What happened in ten minutes. memory: of server and workers at the end, in MB."""

    edits: list[float] = field(default_factory=list[float])
    pages: list[float] = field(default_factory=list[float])
    trained: int = 0
    memory: float = 0.0


@dataclass
class Soak:
    """A class at work. ended: what became of trainings; memory: at the start, in MB."""

    seats: list[Seat]
    runs: Path
    server: int
    memory: float = 0.0
    seconds: float = 0.0
    spans: list[Span] = field(default_factory=lambda: [Span()])
    errors: list[str] = field(default_factory=list[str])
    ended: "collections.Counter[str]" = field(default_factory=collections.Counter)
    starts: asyncio.Lock = field(default_factory=asyncio.Lock)

    def wrong(self, what: str) -> None:
        """Count an error."""
        self.errors.append(f"{datetime.datetime.now(datetime.UTC):%H:%M:%S} {what}")
        print(self.errors[-1], flush=True)

    async def learns(self, seat: Seat, until: float) -> None:
        """Three edits, then a page, until the time is over."""
        await asyncio.sleep(random.Random(seat.student.file).uniform(0, EVERY_S))
        number = 0
        while time.monotonic() < until:
            began = time.monotonic()
            try:
                await self._act(seat, number)
            except (Exception, SystemExit) as error:
                self.wrong(f"{seat.student.file}: {type(error).__name__}: {error}")
            number += 1
            await asyncio.sleep(max(0.0, EVERY_S - (time.monotonic() - began)))

    async def _act(self, seat: Seat, number: int) -> None:
        if number % 4 < 3:  # edits have a route of their own
            self.spans[-1].edits.append(await seat.student.edit())
            return
        async with seat.in_use:
            page = PAGES[number // 4 % len(PAGES)]
            self.spans[-1].pages.append(await seat.student.visit(page))

    async def trains(self, seed: int, until: float) -> None:
        """Have one student after the other train until the time is over."""
        chance = random.Random(seed)
        while time.monotonic() < until:
            seat = chance.choice([seat for seat in self.seats if not seat.trains])
            seat.trains = True
            try:
                await self._training(seat, chance)
            except (Exception, SystemExit) as error:
                self.wrong(f"{seat.student.file} trains: {type(error).__name__}: {error}")
            seat.trains = False
            self.spans[-1].trained += 1

    async def _training(self, seat: Seat, chance: random.Random) -> None:
        """A run from Train to its end: stopped after a while, and half the time resumed once."""
        async with self.starts:  # so that the new run is known to be theirs
            before = set(self.runs.glob("*/spec.json"))
            await self._press(seat, "Train")
            (new,) = set(self.runs.glob("*/spec.json")) - before
        await self._stopped(seat, new.parent, chance)
        if chance.random() < 0.5 and listing.view_run(new.parent).resumable:
            await self._press(seat, "Resume")
            await self._stopped(seat, new.parent, chance)

    async def _stopped(self, seat: Seat, run: Path, chance: random.Random) -> None:
        """Stop a run, every other one by a second request, and count what became of it."""
        await asyncio.sleep(chance.uniform(0, TRAINS_S))
        if listing.alive(run):
            twice = chance.random() < 0.5
            for label in ("Stop", "Stop now") if twice else ("Stop",):
                await self._press(seat, label, run)
        if not await asyncio.to_thread(launch.wait, run, WAIT_S):
            self.wrong(f"{run.name} still runs {WAIT_S:g} s after its stop")
        state = listing.view_run(run).state
        self.ended[state] += 1
        if state not in ENDED or state in ("failed", "crashed", "hung", "lost"):
            self.wrong(f"{run.name} is {state}: {listing.view_run(run).message}")

    async def _press(self, seat: Seat, label: str, run: Path | None = None) -> None:
        """Press a button of the Train page. run: whose end may have taken the button away."""
        async with seat.in_use:
            await seat.student.visit("train")
            button = seat.student.buttons.get(label, "")
            if button:
                await seat.student.visit("train", button)
            elif run is None or listing.alive(run):
                shown = ", ".join(seat.student.buttons)
                raise LookupError(f"No button {label}; there are {shown}")
            if shown := seat.student.alerts:
                self.wrong(f"{seat.student.file}, {label}: {'; '.join(shown)}")

    async def records(self, until: float, count: int, minutes: float) -> None:
        """Note memory and write the figures down every ten minutes, and at the end."""
        began = time.monotonic()
        while time.monotonic() < until:
            left = until - time.monotonic()
            await asyncio.sleep(min(SPAN_S, left))
            self.spans[-1].memory = memory_mb(self.server)
            self.seconds = time.monotonic() - began
            FIGURES.write_text(report(self, count, minutes), encoding="utf-8")
            if time.monotonic() < until:
                self.spans.append(Span())


async def soaked(address: str, pid: int, folder: Path, count: int, minutes: float) -> Soak:
    """Let the class work for so long."""
    names = [f"student_{number:02}.loom.json" for number in range(count)]
    students = await asyncio.gather(*(sit_down(address, name) for name in names))
    soak = Soak([Seat(student) for student in students], folder / "runs", pid)
    for page in PAGES:
        await students[0].visit(page)
    soak.memory = memory_mb(pid)
    until = time.monotonic() + 60 * minutes
    work = [soak.learns(seat, until) for seat in soak.seats]
    work += [soak.trains(seed, until) for seed in range(min(AT_ONCE, count))]
    await asyncio.gather(soak.records(until, count, minutes), *work)
    for run in soak.runs.glob("*/"):
        if listing.alive(run):
            soak.wrong(f"{run.name} still runs at the end")
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
            return asyncio.run(soaked(address, pid, folder, count, minutes))


def report(soak: Soak, count: int, minutes: float) -> str:
    """The figures as Markdown."""
    edits = [each for span in soak.spans for each in span.edits]
    pages = [each for span in soak.spans for each in span.pages]
    how = ", ".join(f"{many} {state}" for state, many in sorted(soak.ended.items()))
    lines = [
        f"# {count} students for {minutes:g} minutes, with trainings and stops",
        "",
        f"{len(soak.errors)} errors in {soak.seconds / 60:.0f} minutes: {len(edits)} edits,"
        f" {len(pages)} pages, {soak.ended.total()} trainings and resumptions ({how}). Of 100 edits"
        f" 95 took at most {worst(edits):.3f} s. The server with its workers held"
        f" {soak.memory:,.0f} MB at the start and {soak.spans[-1].memory:,.0f} MB at the end.",
        "",
        f"Measured on {datetime.datetime.now(datetime.UTC):%Y-%m-%d} by `python -m"
        f" tests.bench.soak --minutes {minutes:g} --students {count}` with Streamlit"
        f" {streamlit.__version__}, torch {torch.__version__}, Python {platform.python_version()}"
        f" on {os.cpu_count()} processors. Seconds and MB.",
        "",
        "| Minutes | edits | median | 95 of 100 | slowest | pages, 95 of 100 | trained | memory |",
        f"|{' --- |' * 8}",
        *(_row(number, span) for number, span in enumerate(soak.spans)),
        "",
        f"Each student has an own tab and does something every {EVERY_S:.0f} s: three edits, then a"
        f" page ({', '.join(PAGES)} in turn). {AT_ONCE} of them train at any time; each run is"
        f" stopped after at most {TRAINS_S:.0f} s, every other one by Stop now, and half are then"
        " resumed and stopped again. The students and the trainings run on the same processors.",
    ]
    return "\n".join([*lines, *(f"- {error}" for error in soak.errors[:20])]) + "\n"


def _row(number: int, span: Span) -> str:
    edits, pages = span.edits or [0.0], span.pages or [0.0]
    minutes = f"{number * SPAN_S / 60:.0f} to {(number + 1) * SPAN_S / 60:.0f}"
    figures = [statistics.median(edits), worst(edits), max(edits), worst(pages)]
    cells = " | ".join(f"{each:.3f}" for each in figures)
    return f"| {minutes} | {len(edits)} | {cells} | {span.trained} | {span.memory:,.0f} |"


def main(words: Sequence[str]) -> int:
    """Measure and print; status 1 where something failed."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--minutes", type=float, default=MINUTES)
    parser.add_argument("--students", type=int, default=STUDENTS)
    asked = parser.parse_args(words)
    soak = measure(asked.students, asked.minutes)
    text = report(soak, asked.students, asked.minutes)
    print(text)
    FIGURES.write_text(text, encoding="utf-8")
    return int(bool(soak.errors))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
