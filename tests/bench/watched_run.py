"""What looking at a run costs it: `python -m tests.bench.watched_run [--rounds N --seconds S]`.

LeNet and a small Transformer on the digits are trained once; every few seconds the run is watched
(as if the Runs page asked for feature maps and a drawing followed it), unwatched, or keeps no
weights by epoch either, in turn. Measured is the processor time of the process, all threads, for
each step; ratios are of stretches beside each other. Then each is trained watched, unwatched and
keeping nothing, and the weights at the end are hashed. The table goes to
tests/bench/watched_run.md.
"""
# ruff: noqa: T201

import argparse
import hashlib
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from statistics import median
from typing import Any
from unittest.mock import patch

import torch

from core.analyse import analyse_project
from core.prepare.create import prepare
from core.project.templates import load_template
from core.project.values import frozen
from core.runs import checkpoint, epoch_weights
from core.worker.live_views import LiveViews
from core.worker.main import main as train
from core.worker.run_loop import RunLoop
from core.worker.weights_logger import WeightsLogger

FIGURES = Path(__file__).with_name("watched_run.md")
NETWORKS = ("lenet_digits", "transformer_digits")
WAYS = ("watched", "unwatched", "nothing kept")
LOOKING = "while true; do touch viewer follower; sleep 1; done"


class Stretches:
    """Turns looking on and off while a run trains, and measures each stretch."""

    def __init__(self, rounds: int, seconds: float) -> None:
        self.left, self.seconds = rounds * len(WAYS), seconds
        self.way, self.began = 0, (0.0, 0.0, 0)
        self.ms: dict[str, list[float]] = {way: [] for way in WAYS}
        self.room, self.looking_s, self.watched_s = -1, 0.0, 0.0

    def counted(self, look: Callable[..., Any]) -> Callable[..., Any]:
        """The same, its processor time added up."""

        def run(*given: Any) -> Any:
            began = time.process_time()
            try:
                return look(*given)
            finally:
                self.looking_s += time.process_time() - began

        return run

    def watched(self, *_: Any) -> bool:
        """In the place of looking at the file that a page touches."""
        return WAYS[self.way] == "watched"

    def poll(self, loop: RunLoop) -> str:
        """Called between steps: end a stretch when its time is over; "stopped" after the last."""
        then, spent, step = self.began
        if not then:  # what came before the first step is no training
            self.began = time.monotonic(), time.process_time(), loop.engine.step
            return ""
        if time.monotonic() - then < self.seconds or loop.engine.step == step:
            return ""
        took = 1000 * (time.process_time() - spent) / (loop.engine.step - step)
        self.ms[WAYS[self.way]].append(took)
        self.watched_s += (time.process_time() - spent) * self.watched()
        self.way, self.left = (self.way + 1) % len(WAYS), self.left - 1
        self.room = loop.weights.room if self.room < 0 else self.room
        kept = self.room if WAYS[self.way] != "nothing kept" else 0
        loop.weights.room, loop.engine.norms_each_epoch = kept, kept > 0
        self.began = time.monotonic(), time.process_time(), loop.engine.step
        return "" if self.left else "stopped"


def prepared(name: str, epochs: int, folder: Path) -> Path:
    """The folder of a new run of a template."""
    project = load_template(name)
    settings: dict[str, Any] = {**project.training, "epochs": epochs, "threads": 1}
    project = replace(project, training=frozen(settings))
    return prepare(project, analyse_project(project), folder)


def stretches(name: str, rounds: int, seconds: float, folder: Path) -> Stretches:
    """Train a template, looked at now and then."""
    measured = Stretches(rounds, seconds)
    run = prepared(name, 100_000, folder)

    def poll(loop: RunLoop) -> str:
        return measured.poll(loop)

    with (
        patch.object(RunLoop, "_poll_control", poll),
        patch.object(LiveViews, "watched", measured.watched),
        patch.object(WeightsLogger, "followed", measured.watched),
        patch.object(
            LiveViews, "_write_feature_maps", measured.counted(LiveViews._write_feature_maps)
        ),
        patch.object(WeightsLogger, "follow", measured.counted(WeightsLogger.follow)),
    ):
        train(run)
    return measured


def weights_of(name: str, way: str, epochs: int, folder: Path) -> str:
    """The hash of the weights that a run ends with that is looked at in one way."""
    run = prepared(name, epochs, folder)
    kept = epoch_weights.room_for if way != "nothing kept" else lambda size: 0
    looking = subprocess.Popen(["sh", "-c", LOOKING], cwd=run) if way == "watched" else None
    try:
        with patch.object(epoch_weights, "room_for", kept):
            train(run)
    finally:
        if looking:
            looking.kill()
            looking.wait()
    return hashed(checkpoint.load(run, "last")["model"])


def hashed(weights: dict[str, torch.Tensor]) -> str:
    """A hash of all bits of the weights."""
    digest = hashlib.sha256()
    for name, value in weights.items():
        digest.update(name.encode() + value.numpy().tobytes())
    return digest.hexdigest()[:12]


def line(name: str, measured: Stretches, hashes: Mapping[str, str]) -> str:
    """A row of the table."""
    ms, looking = measured.ms, measured.looking_s / measured.watched_s
    near = list(zip(ms["watched"], ms["unwatched"], ms["nothing kept"], strict=True))
    watched = median(a / b for a, b, _ in near) - 1
    kept = median(b / c for _, b, c in near) - 1
    equal = "equal" if len(set(hashes.values())) == 1 else "DIFFERENT"
    cells = f"{median(ms['unwatched']):.3f} | {median(ms['watched']):.3f} | {watched:+.1%}"
    return f"| {name} | {cells} | {looking:.1%} | {kept:+.1%} | {equal} ({hashes['watched']}) |"


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and write the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=12)
    parser.add_argument("--seconds", type=float, default=4.0)
    parser.add_argument("--networks", nargs="*", default=list(NETWORKS))
    parser.add_argument("--out", type=Path, default=FIGURES)
    asked = parser.parse_args(arguments)
    load = os.getloadavg()[0]
    lines = [
        "# What looking at a run costs it", "",
        "`python -m tests.bench.watched_run`: processor time of the run's process for each step, "
        f"one thread; ratios are medians of {asked.rounds} rounds of {asked.seconds:g} s each way. "
        f"torch {torch.__version__}, Python {sys.version.split()[0]}, load {load:.1f} when it "
        "began. Spent looking: the processor time of feature maps and weights themselves.", "",
        "| network | ms a step, unwatched | watched | watching costs | spent looking | "
        "keeping epochs costs | final weights |",
        "|---|---|---|---|---|---|---|",
    ]  # fmt: skip
    with tempfile.TemporaryDirectory() as folder:
        os.environ.setdefault("LAYERLOOM_HOME", folder)
        for name in asked.networks:
            measured = stretches(name, asked.rounds, asked.seconds, Path(folder))
            hashes = {way: weights_of(name, way, 2, Path(folder)) for way in WAYS}
            lines.append(line(name, measured, hashes))
            print(lines[-1], flush=True)
    text = "\n".join(lines) + "\n"
    asked.out.write_text(text, encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
