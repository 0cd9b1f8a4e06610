"""What TensorBoard's histograms and pictures cost a run: `python -m tests.bench.tensorboard_cost`.

LeNet on the digits is trained twice in a row, with them and without, in turn and ROUNDS times, each
time in the other order; measured is the processor time of the whole run, in this process, after one
run that warms up. The weights of each pair are compared to the bit. The table goes to
tests/bench/tensorboard_cost.md.
"""
# ruff: noqa: T201

import argparse
import os
import tempfile
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from statistics import median
from unittest.mock import patch

import torch

from core.analyse import analyse_project
from core.prepare.create import prepare
from core.project.templates import load_template
from core.project.values import frozen
from core.runs import checkpoint
from core.worker.board_views import BoardViews
from core.worker.main import main as train

FIGURES = Path(__file__).with_name("tensorboard_cost.md")
NETWORK = "lenet_digits"


def run(folder: Path, epochs: int, written: bool) -> tuple[float, float, Path]:
    """Train once; processor seconds, those of them that went into writing, and the run folder."""
    writing, write = [0.0], BoardViews._write

    def timed(self: BoardViews) -> None:
        began = time.process_time()
        if written:
            write(self)
        writing[0] += time.process_time() - began

    project = load_template(NETWORK)
    training = {**project.training, "threads": 1} | ({"epochs": epochs} if epochs else {})
    project = replace(project, training=frozen(training))
    run_dir = prepare(project, analyse_project(project), folder)
    with patch.object(BoardViews, "_write", timed):
        began = time.process_time()
        train(run_dir)
        return time.process_time() - began, writing[0], run_dir


def size(run_dir: Path) -> int:
    """Bytes of the event files of a run."""
    return sum(file.stat().st_size for file in (run_dir / "tensorboard").iterdir())


def measure(rounds: int, epochs: int) -> str:
    """The table."""
    seconds: dict[bool, list[float]] = {True: [], False: []}
    same, sizes, shares = True, dict[bool, int](), list[float]()
    with tempfile.TemporaryDirectory() as folder:
        os.environ["LAYERLOOM_HOME"] = str(Path(folder) / "home")
        run(Path(folder), 1, written=True)
        for number in range(rounds):
            weights = dict[bool, dict[str, torch.Tensor]]()
            for written in (number % 2 == 0, number % 2 == 1):
                spent, writing, run_dir = run(Path(folder), epochs, written)
                seconds[written].append(spent)
                shares += [writing / spent] if written else []
                sizes[written] = size(run_dir)
                weights[written] = checkpoint.load(run_dir, "last")["model"]
            same &= all(torch.equal(weights[True][n], weights[False][n]) for n in weights[True])
    length = epochs or "as many as its template has"
    ratios = [one / other for one, other in zip(seconds[True], seconds[False], strict=True)]
    return "\n".join(
        (
            "# What TensorBoard's histograms and pictures cost a run",
            "",
            f"LeNet on the digits, {length} epochs, {rounds} pairs of runs in turn, "
            "processor time of the process, one thread. "
            "`python -m tests.bench.tensorboard_cost` writes this file.",
            "",
            "| | with | without |",
            "|---|---|---|",
            f"| processor time, median | {median(seconds[True]):.2f} s "
            f"| {median(seconds[False]):.2f} s |",
            f"| event files | {sizes[True] / 1e6:.2f} MB | {sizes[False] / 1e6:.2f} MB |",
            "",
            f"Writing them took {median(shares):.1%} of the run (at most {max(shares):.1%}). "
            f"With over without, median of the pairs: {median(ratios):.3f} "
            f"(from {min(ratios):.3f} to {max(ratios):.3f}). "
            f"Weights at the end: {'equal to the bit' if same else 'DIFFERENT'}.",
            "",
        )
    )


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure as the command line says."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--epochs", type=int, default=0, help="0: as many as the template has")
    parser.add_argument("--out", type=Path, default=FIGURES)
    given = parser.parse_args(arguments)
    text = measure(given.rounds, given.epochs)
    given.out.write_text(text, "utf-8")
    print(text)


if __name__ == "__main__":
    main()
