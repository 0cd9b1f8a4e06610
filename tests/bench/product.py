"""What a student waits for: `python -m tests.bench.product [REPEATS]`, kept in product.md.

Click to first point, cold and with the spare; until a stopped run is gone; a page with 100,000
points; 20 viewers on 10 runs; memory of a worker. Wall time, on whatever else the machine does.
"""
# ruff: noqa: T201

import datetime
import http.client
import json
import os
import platform
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import torch
from playwright.sync_api import Page, sync_playwright

from core.analyse import analyse_project
from core.prepare.create import prepare
from core.project import open_project
from core.runs.files import read_json
from core.runs.jsonl import Lines
from core.runs.listing import view_run
from core.worker import launch
from core.worker.launch import start, wait
from tests.bench.engine_start import PROJECT, first_point, warmed
from tests.bench.workbench import server
from tests.chromium import chromium_path

FIGURES = Path(__file__).with_name("product.md")
POINTS, PER_LINE = 100_000, 200
VIEWERS, RUNS, WATCHED_S, POLL_S = 20, 10, 15.0, 0.5


def starts(project: Any, report: Any, folder: Path, repeats: int) -> dict[str, list[float]]:
    """Seconds from the click to the first point."""
    cold = [first_point(project, report, folder)[1] for _ in range(repeats)]
    warm = []
    for _ in range(repeats):
        warmed()
        warm.append(first_point(project, report, folder)[1])
    return {"click to first point, cold": cold, "click to first point, with the spare": warm}


def stops(project: Any, report: Any, folder: Path, repeats: int) -> dict[str, list[float]]:
    """Seconds from the click on Stop until a run is stopped, and the memory of its worker."""
    gone, memory = [], []
    for _ in range(repeats):
        run_dir = prepare(project, report, folder, {"epochs": 100_000, "threads": 1})
        start(run_dir)
        while view_run(run_dir).step < 200:
            time.sleep(0.02)
        memory.append(private_mb(read_json(run_dir / "proc.json")["worker"]["pid"]))
        clicked = time.monotonic()
        launch.stop(run_dir)
        while view_run(run_dir).state != "stopped":
            time.sleep(0.005)
        gone.append(time.monotonic() - clicked)
        wait(run_dir)
    return {"click on Stop to stopped": gone, "memory of a worker, MB": memory}


def private_mb(pid: int) -> float:
    """Memory that a process has to itself."""
    lines = Path(f"/proc/{pid}/smaps_rollup").read_text("utf-8").splitlines()
    return sum(int(line.split()[1]) for line in lines if line.startswith("Private")) / 1024


def long_run(project: Any, report: Any, folder: Path) -> Path:
    """A run folder as one with 100,000 steps leaves it."""
    run_dir = prepare(project, report, folder, {"epochs": 10})
    lines = Lines(run_dir / "metrics.jsonl")
    for first in range(1, POINTS + 1, PER_LINE):
        points(lines, first, PER_LINE)
    lines.close()
    status = {"state": "finished", "attempt": 1, "epoch": 10, "step": POINTS, "steps": POINTS}
    (run_dir / "status.json").write_text(json.dumps(status))
    (run_dir / "proc.json").write_text("{}")
    return run_dir


def points(lines: Lines, first: int, count: int) -> None:
    """Append steps as a flush does."""
    steps = list(range(first, first + count))
    losses = [round(2 / (1 + step / 9000) + (step * 7919 % 97) / 500, 6) for step in steps]
    lines.write({"attempt": 1, "kind": "step", "step": steps, "epoch": [1] * count,
                 "loss": losses, "lr": [0.001] * count})  # fmt: skip


@contextmanager
def browser_page() -> Iterator[Page]:
    """A page of a fresh browser."""
    with sync_playwright() as play:
        arguments = ["--no-sandbox", "--disable-gpu"]
        browser = play.chromium.launch(executable_path=chromium_path(), args=arguments)
        yield browser.new_page(viewport={"width": 1440, "height": 900})
        browser.close()


def pages(address: str, run: str, repeats: int) -> tuple[dict[str, list[float]], str]:
    """Seconds until the curve of a run is drawn; and a token that the routes answer."""
    tokens, shown = [], list[float]()
    with browser_page() as page:
        page.on("request", lambda r: tokens.append(r.headers.get("x-ll-token", "")))
        for _ in range(repeats + 1):  # the first one opens the project
            started = time.monotonic()
            page.goto(f"{address}/train?project={PROJECT.name}&run={run}")
            page.wait_for_selector("[data-testid=curve-loss][data-points]", timeout=120_000)
            shown.append(time.monotonic() - started)
    token = next(t for t in reversed(tokens) if t)
    return {f"page with {POINTS:,} points to its curve": shown[1:]}, token


def viewers(
    address: str, token: str, folders: list[Path], watched_s: float = WATCHED_S
) -> dict[str, list[float]]:
    """Seconds of each poll of 20 viewers, two on each run, while the runs go on."""
    ends = time.monotonic() + watched_s
    taken: list[float] = []
    watching = [
        threading.Thread(target=view, args=(address, token, folders[n % RUNS].name, ends, taken))
        for n in range(VIEWERS)
    ]
    for thread in watching:
        thread.start()
    files, step = [Lines(folder / "metrics.jsonl") for folder in folders], 1
    while time.monotonic() < ends:
        for lines in files:
            points(lines, step, 20)
        step += 20
        time.sleep(0.25)
    for thread in watching:
        thread.join()
    if not taken:
        raise SystemExit("No viewer was answered.")
    return {f"poll of {VIEWERS} viewers on {RUNS} runs": taken}


def view(address: str, token: str, run: str, ends: float, taken: list[float]) -> None:
    """Poll a run as a page does."""
    at, host = 0, urlsplit(address).netloc
    while time.monotonic() < ends:
        started = time.monotonic()
        door = http.client.HTTPConnection(host, timeout=30)
        door.request(
            "GET", f"/api/ll/runs/{run}?from={at}&attempt=0", headers={"x-ll-token": token}
        )
        answer = door.getresponse()
        reply = json.loads(answer.read())
        door.close()
        if answer.status != 200:
            raise SystemExit(f"A viewer was answered {answer.status}: {reply}")
        taken.append(time.monotonic() - started)
        at = reply["next"]
        time.sleep(POLL_S)


def row(name: str, found: list[float]) -> str:
    """One line of the table: median, the slowest of twenty, the slowest."""
    worst = sorted(found)[min(len(found) - 1, int(0.95 * len(found)))]
    return f"| {name} | {statistics.median(found):.3g} | {worst:.3g} | {max(found):.3g} |"


def measured(repeats: int, watched_s: float = WATCHED_S) -> dict[str, list[float]]:
    """Measure everything. watched_s: how long the viewers watch."""
    project = open_project(PROJECT)
    report = analyse_project(project)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
        folder = Path(name)
        runs = folder / "runs"
        os.environ |= {"LAYERLOOM_HOME": str(folder / "home"), "LAYERLOOM_RUNS": str(runs),
                       "LAYERLOOM_WORKSPACE": str(PROJECT.parent)}  # fmt: skip
        found = starts(project, report, runs, repeats) | stops(project, report, runs, repeats)
        long = long_run(project, report, runs)
        watched = [prepare(project, report, runs) for _ in range(RUNS)]
        with server(PROJECT, folder) as (address, _):
            shown, token = pages(address, long.name, repeats)
            return found | shown | viewers(address, token, watched, watched_s)


def main(repeats: int = 5) -> None:
    """Measure everything, print it and write it down."""
    load = os.getloadavg()[0]
    write(measured(repeats), load)


def write(found: dict[str, list[float]], load: float) -> None:
    """Print the table and keep it."""
    day = datetime.datetime.now(datetime.UTC).date().isoformat()
    rows = "\n".join(row(name, values) for name, values in found.items())
    text = (
        "# What a student waits for\n\n"
        f"Measured on {day} by `python -m tests.bench.product` with torch {torch.__version__} "
        f"and Python {platform.python_version()} on {os.cpu_count()} processors (load before: "
        f"{load:.1f}). Seconds, but for memory, which a process has to itself.\n\n"
        "| | median | 95 of 100 | slowest |\n|---|---|---|---|\n"
        f"{rows}\n\nLeNet on the digits; an idle spare has torch imported already.\n"
    )
    print(text)
    FIGURES.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(*(int(argument) for argument in sys.argv[1:]))
