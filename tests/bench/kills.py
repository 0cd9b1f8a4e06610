"""Kill runs at random moments: `python -m tests.bench.kills [RUNS] [KILLS] [SEED]`.

Each run is killed with SIGKILL at moments drawn from the clock, not at steps, resumed each time,
and must end with the weights, losses and metrics of one that never was: bit for bit. Without
arguments 15 runs are killed three times each; the figures go to tests/bench/kills.md.
"""
# ruff: noqa: T201

import datetime
import json
import platform
import random
import signal
import sys
import tempfile
import time
from pathlib import Path

import torch

from core.analyse import analyse_project
from core.engine.load_module import load_module
from core.prepare.create import prepare
from core.project import read_text
from core.runs.listing import read_metrics, view_run
from core.worker import launch
from core.worker.launch import resume, start, wait
from tests.core.small_runs import CHANCY_NET, ended, until

FIGURES = Path(__file__).with_name("kills.md")
SETTINGS = {"epochs": 24, "lr": 0.01, "threads": 1, "checkpoint_every_s": 0.0, "clip_norm": 1.0}
TRIES = 10  # starts of a run until it was killed often enough


def made(folder: Path, seed: int) -> Path:
    """A run folder: dropout, batch norm and a schedule that moves each step."""
    training = {**SETTINGS, "seed": seed, "scheduler": {"name": "OneCycleLR"}}
    file = {"layerloom": 1, "name": f"Kill {seed}", "graph": CHANCY_NET}
    project = read_text(json.dumps({**file, "data": {"source": "digits"}, "training": training}))
    return prepare(project, analyse_project(project), folder)


def result(run_dir: Path) -> tuple[dict[str, torch.Tensor], list[object]]:
    """Everything of a run that must come out the same."""
    records = [r for r in read_metrics(run_dir)[0] if r["kind"] != "pulse"]
    points = []
    for record in records:
        timeless = {k: v for k, v in record.items() if k not in ("elapsed_s", "attempt")}
        kind, columns = timeless.pop("kind"), list(timeless)
        points += [(kind, *row) for row in zip(*(timeless[c] for c in columns), strict=True)]
    return load_module(run_dir, "last").state_dict(), sorted(points, key=str)


def trained(run_dir: Path) -> float:
    """Train to the end; seconds from its first step on."""
    start(run_dir)
    until(run_dir, lambda view: ended(view) or view.state == "running")
    begun = time.monotonic()
    until(run_dir, ended)
    return time.monotonic() - begun


def killed(run_dir: Path, kills: int, span_s: float, chance: random.Random) -> int:
    """Start a run and kill it until it was killed so often; how often it was.

    span_s: how long it trains; the moments lie in a part of it, so that some of it is left.
    """
    start(run_dir)
    hits = 0
    for _ in range(TRIES):
        until(run_dir, lambda view: ended(view) or view.state == "running")
        time.sleep(chance.random() * span_s / (kills + 1))
        if hits == kills or view_run(run_dir).state == "finished":
            break
        launch.kill(run_dir, signal.SIGKILL)
        wait(run_dir, 30)
        if view_run(run_dir).state == "crashed":
            hits += 1
            resume(run_dir)
    until(run_dir, ended)
    return hits


def same(whole: Path, broken: Path) -> bool:
    """Whether both ended with the same bits."""
    (weights, points), (found, seen) = result(whole), result(broken)
    equal = view_run(broken).state == "finished" and points == seen
    return equal and all(torch.equal(weights[name], found[name]) for name in weights)


def measured(runs: int, kills: int, seed: int) -> tuple[int, int]:
    """Print a line per run; how many ended bit-identical, and how often they were killed."""
    chance, alike, hits = random.Random(seed), 0, 0
    for number in range(runs):
        with tempfile.TemporaryDirectory() as folder:
            whole, broken = made(Path(folder), number), made(Path(folder), number)
            done = killed(broken, kills, trained(whole), chance)
            equal = same(whole, broken)
            alike, hits = alike + equal, hits + done
            words = "bit-identical" if equal else "DIFFERENT"
            attempts = view_run(broken).attempt
            print(f"run {number + 1:3}: {done} kills, {attempts} attempts, {words}", flush=True)
    return alike, hits


def main(runs: int = 15, kills: int = 3, seed: int = 0) -> None:
    """Measure, print and write down; the exit status says whether all were as they should be."""
    begun = time.monotonic()
    alike, hits = measured(runs, kills, seed)
    words = f"{alike} of {runs} runs bit-identical after {hits} kills"
    print(words)
    write(words, time.monotonic() - begun)
    sys.exit(alike != runs or hits < runs * kills)


def write(words: str, took_s: float) -> None:
    """Keep the verdict with its date and versions."""
    day = datetime.datetime.now(datetime.UTC).date().isoformat()
    FIGURES.write_text(
        "# Runs killed at random moments\n\n"
        f"{words}.\n\n"
        f"Measured on {day} in {took_s:.0f} s by `python -m tests.bench.kills` with torch "
        f"{torch.__version__} and Python {platform.python_version()} on "
        f"{platform.system()} {platform.machine()}.\n\n"
        "A convolutional net on the digits with batch norm, dropout, clipping and OneCycleLR, "
        f"{SETTINGS['epochs']} epochs, on one thread. SIGKILL at moments drawn from "
        "the clock; each run is resumed and compared with one that was never killed: weights and "
        "buffers, the loss of every step, the metrics of every epoch.\n",
        encoding="utf-8",
    )


if __name__ == "__main__":
    main(*(int(argument) for argument in sys.argv[1:]))
