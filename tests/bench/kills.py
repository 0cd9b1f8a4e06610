"""Kill runs at random moments: `python tests/bench/kills.py [RUNS] [KILLS] [SEED]`.

Each run is killed with SIGKILL at moments drawn from the clock, not at steps, resumed each time,
and must end with the weights, losses and metrics of one that never was: bit for bit.
"""
# ruff: noqa: T201

import json
import random
import signal
import sys
import tempfile
import time
from pathlib import Path

import torch

from core.analyse import analyse_project
from core.project import read_text
from core.train import control, load_module, prepare, read_metrics, resume, start, view_run, wait

sys.path.append(str(Path(__file__).parents[1] / "core" / "train"))
from small_runs import CHANCY_NET, ended, until

SETTINGS = {"epochs": 12, "lr": 0.01, "threads": 1, "checkpoint_every_s": 0.0, "clip_norm": 1.0}
SPAN_S = 1.2  # of training, from the first step on; a run takes a little longer


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


def killed(run_dir: Path, kills: int, chance: random.Random) -> int:
    """Start a run and kill it again and again; how often it was still alive to be killed."""
    start(run_dir)
    hits = 0
    for _ in range(kills):
        until(run_dir, lambda view: ended(view) or view.state == "running")
        time.sleep(chance.random() * SPAN_S / kills)
        if view_run(run_dir).state == "finished":
            return hits
        control.kill(run_dir, signal.SIGKILL)
        wait(run_dir, 30)
        if view_run(run_dir).state == "crashed":
            hits += 1
            resume(run_dir)
    until(run_dir, ended)
    return hits


def main(runs: int = 15, kills: int = 3, seed: int = 0) -> None:
    """Print a line per run, and how many ended bit-identical."""
    chance, same, hits = random.Random(seed), 0, 0
    for number in range(runs):
        with tempfile.TemporaryDirectory() as folder:
            whole, broken = made(Path(folder), number), made(Path(folder), number)
            start(whole)
            until(whole, ended)
            done = killed(broken, kills, chance)
            view = until(broken, ended)
            (weights, points), (found, seen) = result(whole), result(broken)
            equal = view.state == "finished" and points == seen
            equal = equal and all(torch.equal(weights[name], found[name]) for name in weights)
            same, hits = same + equal, hits + done
            words = "bit-identical" if equal else "DIFFERENT"
            print(f"run {number + 1:3}: {done} kills, {view.attempt} attempts, {words}", flush=True)
    print(f"{same} of {runs} runs bit-identical after {hits} kills")
    sys.exit(same != runs)


if __name__ == "__main__":
    main(*(int(argument) for argument in sys.argv[1:]))
