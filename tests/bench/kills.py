"""Kill runs at random moments: `python -m tests.bench.kills [RUNS] [KILLS] [SEED]`.

Each run is killed with SIGKILL at moments drawn from the clock, not at steps, resumed each time,
and must end with the weights, losses and metrics of one that never was: bit for bit. Without
arguments 15 runs are killed three times each; the figures go to tests/bench/kills.md.

`python -m tests.bench.kills changing [RUNS] [SEED]` has runs change over to compiled steps amid
training, and kills each before that, between what it writes down and its first compiled step, and
after; the one that never was killed has the same plan. Figures: tests/bench/kills_changing.md.

`python -m tests.bench.kills no_links [RUNS] [KILLS] [SEED]` does the first on a disk without hard
links, as a FAT stick has none. Figures: tests/bench/kills_no_links.md.
"""
# ruff: noqa: T201

import contextlib
import datetime
import json
import platform
import random
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import pytest
import torch

from core.analyse import analyse_project
from core.engine.load_module import load_module
from core.prepare.create import prepare
from core.project import read_text
from core.runs.files import MODES, read_json
from core.runs.listing import read_metrics, view_run
from core.worker import launch
from core.worker.launch import resume, start, wait
from tests.core.no_links import no_links
from tests.core.small_runs import CHANCY_NET, change_workers, ended, until

FIGURES = Path(__file__).with_name("kills.md")
CHANGING = Path(__file__).with_name("kills_changing.md")
NO_LINKS = Path(__file__).with_name("kills_no_links.md")
SETTINGS = {"epochs": 24, "lr": 0.01, "threads": 1, "checkpoint_every_s": 0.0, "clip_norm": 1.0}
TRIES = 10  # starts of a run until it was killed often enough


def made(folder: Path, seed: int, **more: object) -> Path:
    """A run folder: dropout, batch norm and a schedule that moves each step."""
    training = {**SETTINGS, "seed": seed, "scheduler": {"name": "OneCycleLR"}, **more}
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


def killed(run_dir: Path, kills: int, span_s: float, rng: random.Random) -> int:
    """Start a run and kill it until it was killed so often; how often it was.

    span_s: how long it trains; the moments lie in a part of it, so that some of it is left.
    """
    start(run_dir)
    hits = 0
    for _ in range(TRIES):
        until(run_dir, lambda view: ended(view) or view.state == "running")
        time.sleep(rng.random() * span_s / (kills + 1))
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
    rng, alike, hits = random.Random(seed), 0, 0
    for number in range(runs):
        with tempfile.TemporaryDirectory() as folder:
            whole, broken = made(Path(folder), number), made(Path(folder), number)
            done = killed(broken, kills, trained(whole), rng)
            equal = same(whole, broken)
            alike, hits = alike + equal, hits + done
            words = "bit-identical" if equal else "DIFFERENT"
            attempts = view_run(broken).attempt
            print(f"run {number + 1:3}: {done} kills, {attempts} attempts, {words}", flush=True)
    return alike, hits


def changed(run_dir: Path, change: int, kills: Sequence[int]) -> int:
    """Have a run change over after so many steps, killed after each of `kills`; how often it was.

    Once it has changed over, its folder says where, and no worker is told any more.
    """
    hits = 0
    for begin, kill in zip((start, *[resume] * len(kills)), (*kills, 0), strict=True):
        with pytest.MonkeyPatch.context() as patch:
            change_workers(patch, change, *([kill] if kill else []))
            begin(run_dir)
        until(run_dir, ended, 900.0)
        hits += view_run(run_dir).state == "crashed"
    return hits


def changing(runs: int, seed: int, epochs: int = 8) -> tuple[int, int]:
    """Print a line per run; how many ended bit-identical, and how often they were killed."""
    rng, alike, hits = random.Random(seed), 0, 0
    more = {"compile_step": "auto", "epochs": epochs}
    for number in range(runs):
        with tempfile.TemporaryDirectory() as folder:
            whole, broken = (made(Path(folder), number, **more) for _ in range(2))
            change = rng.randrange(30, 23 * epochs - 30)
            kills = (rng.randrange(1, change), change, rng.randrange(change + 1, 23 * epochs))
            done = changed(broken, change, kills)
            shutil.copyfile(broken / MODES, whole / MODES)
            start(whole)
            until(whole, ended, 900.0)
            planned = read_json(broken / MODES)["compile_step"]["from_step"] == change
            equal = planned and same(whole, broken)
            alike, hits = alike + equal, hits + done
            words = "bit-identical" if equal else "DIFFERENT"
            print(f"run {number + 1:3}: changed over after step {change}, killed after "
                  f"{', '.join(map(str, kills))}: {done} kills, {words}", flush=True)  # fmt: skip
    return alike, hits


NET = (
    "A convolutional net on the digits with batch norm, dropout, clipping and OneCycleLR, "
    f"{SETTINGS['epochs']} epochs, on one thread. SIGKILL at moments drawn from the clock; each "
    "run is resumed and compared with one that was never killed: weights and buffers, the loss of "
    "every step, the metrics of every epoch."
)
CHANGE = (
    "The net of [kills.md](kills.md), 8 epochs, `compile_step: auto`. The change is at a step that "
    "is drawn, real steps are compiled. SIGKILL at a step before it, between the plan that is "
    "written and the first compiled step, and at one after it; compared with a run of the same "
    "plan that was never killed: weights and buffers, every loss, every metric."
)


def write(figures: Path, title: str, words: str, took_s: float, how: str) -> None:
    """Keep the verdict with its date and versions."""
    day = datetime.datetime.now(datetime.UTC).date().isoformat()
    command = figures.stem.replace("_", " ", 1)
    figures.write_text(
        f"# Runs killed {title}\n\n{words}.\n\nMeasured on {day} in {took_s:.0f} s by `python -m "
        f"tests.bench.{command}` with torch {torch.__version__} and Python "
        f"{platform.python_version()} on {platform.system()} {platform.machine()}.\n\n{how}\n",
        encoding="utf-8",
    )


def main(way: str = "", *numbers: int) -> None:
    """Measure, print and write down; the exit status says whether all were as they should be."""
    begun = time.monotonic()
    if way == "changing":
        runs, seed = (*numbers, *(15, 0)[len(numbers) :])
        kills, (alike, hits) = 3, changing(runs, seed)
        figures, title, how = CHANGING, "around their change to compiled steps", CHANGE
    else:
        usual = (10, 2, 0) if way else (15, 3, 0)
        runs, kills, seed = (*numbers, *usual[len(numbers) :])
        figures, title, how = FIGURES, "at random moments", NET
        with tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as disk:
            if way:
                disk.enter_context(no_links(Path(folder)))
                figures, title = NO_LINKS, f"{title} on a disk without hard links"
            alike, hits = measured(runs, kills, seed)
    words = f"{alike} of {runs} runs bit-identical after {hits} kills"
    print(words)
    write(figures, title, words, time.monotonic() - begun, how)
    sys.exit(alike != runs or hits < runs * kills)


if __name__ == "__main__":
    given = sys.argv[1:]
    way = given.pop(0) if given[:1] in (["changing"], ["no_links"]) else ""
    main(way, *map(int, given))
