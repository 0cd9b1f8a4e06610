"""Search over structure beside random search at the same cost, on digits.

    python -m tests.wings.sweep.bench.structure [--trials N] [--epochs N] [--seeds N ...]

The template resnet_digits: how often each stage repeats, whether it and its norms are there at all,
which activation stands between. Objectives: accuracy and parameters. Both searches have the same
number of trials of the same epochs and the same seed, so that their first trials are the same.
"""
# ruff: noqa: T201

import argparse
import math
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Any
from unittest.mock import patch

import torch

from core.project.templates import load_template
from core.wings.sweep import driver, results, study
from core.wings.sweep import start as opening
from core.wings.sweep.files import entered
from core.worker import launch
from tests.core.small_runs import train_here

OUT = Path(__file__).with_suffix(".md")
SEARCH = (
    "stage1.kept=true,false",
    "stage1.repeat=1..3",
    "stage2.kept=true,false",
    "stage2.repeat=1..3",
    "bn1.kept=true,false",
    "bn2.kept=true,false",
    "relu1.block=ReLU,GELU,Tanh",
)
FEWEST, MOST = 1_000, 100_000
"""Parameters at the ends of the scale of the area; between them it is logarithmic."""
WAYS: Mapping[str, Callable[[Any], int]] = {
    "TPE": study.random_ones,
    "random": lambda request: request.trials,
}
"""How many trials of a sweep each search draws at random."""
Found = dict[str, Any]


def main(words: Sequence[str] | None = None) -> None:
    """Search in both ways and write the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition(",")[0])
    parser.add_argument("--trials", type=int, default=30)
    parser.add_argument("--epochs", type=int, default=1)
    parser.add_argument("--seeds", type=int, nargs="+", default=[0])
    parser.add_argument("--out", type=Path, default=OUT)
    given = parser.parse_args(words)
    torch.set_num_threads(1)
    rows: list[tuple[str, int, Found]] = []
    for seed in given.seeds:
        for way, random_ones in WAYS.items():
            with patch.object(study, "random_ones", random_ones):
                rows.append((way, seed, searched(given.trials, given.epochs, seed)))
            print(_line(*rows[-1]), flush=True)
            given.out.write_text(table(rows, given.trials, given.epochs), "utf-8")


def searched(trials: int, epochs: int, seed: int) -> Found:
    """The results of one sweep, with the seconds it took."""
    project, began = load_template("resnet_digits"), time.monotonic()
    fixed = {"epochs": epochs, "threads": 1}
    more = {"seed": seed, "objectives": ("val_accuracy", "params"), "together": "off"}
    with tempfile.TemporaryDirectory() as folder:
        runs = Path(folder) / "runs"
        asked = opening.request_of(project, None, SEARCH, trials, fixed, **more)
        where = entered(runs, asked, project)
        with (
            patch.object(launch, "start", lambda run_dir, which="last": train_here(run_dir)),
            opening.open_study(where, runs) as sweep,
        ):
            for _ in driver.drive(sweep):
                pass
            found = results.write(sweep, where)
    return {**found, "seconds": time.monotonic() - began}


def front_of(found: Found) -> list[tuple[float, float, Found]]:
    """Accuracy and parameters of the trials on the front, the smallest network first."""
    rows = [row for row in found["trials"] if row["trial"] in found["front"]]
    points = [(row["values"]["val_accuracy"], row["values"]["params"], row) for row in rows]
    return sorted(points, key=lambda point: point[1])


def area(points: Sequence[tuple[float, float]]) -> float:
    """What a front covers, from 0 to 1: accuracy over the logarithm of the parameters."""
    covered, best, at = 0.0, 0.0, 0.0
    for accuracy, params in sorted(points, key=lambda point: (point[1], -point[0])):
        share = math.log(params / FEWEST) / math.log(MOST / FEWEST)
        share = min(max(share, 0.0), 1.0)
        covered, at = covered + best * (share - at), share
        best = max(best, accuracy)
    return covered + best * (1.0 - at)


def _line(way: str, seed: int, found: Found) -> str:
    points = front_of(found)
    failed = sum(row["state"] == "failed" for row in found["trials"])
    again = sum(row["as"] is not None for row in found["trials"])
    best, least = max(p[0] for p in points), points[0]
    covered = area([point[:2] for point in points])
    return (
        f"| {way} | {seed} | {len(found['trials'])} | {again} | {failed} | {len(points)} | "
        f"{best:.1%} | {least[0]:.1%} at {least[1]:,.0f} | {covered:.3f} | {found['seconds']:.0f} |"
    )


def table(rows: Sequence[tuple[str, int, Found]], trials: int, epochs: int) -> str:
    """Both searches in Markdown, with their fronts."""
    parts = [HEAD.format(day=date.today(), trials=trials, epochs=epochs)]
    parts += [_line(*row) for row in rows]
    for way, seed, found in rows:
        parts += ["", f"## Front of {way}, seed {seed}", "", *FRONT]
        for accuracy, params, row in front_of(found):
            settings = ", ".join(f"{k} {v}" for k, v in row["settings"].items())
            parts.append(f"| {row['trial']} | {accuracy:.1%} | {params:,.0f} | {settings} |")
    return "\n".join(parts) + "\n"


FRONT = ("| trial | accuracy | parameters | structure |", "|--:|--:|--:|---|")
HEAD = """# Search over structure beside random search

Written by `python -m tests.wings.sweep.bench.structure`, {day}, one thread: {trials} trials each,
epochs of a trial: {epochs}. Digits, from the template resnet_digits, by accuracy and parameters.
Searched: how often a stage repeats, whether stages and norms are there, the activation. TPE draws
its first trials at random, as random search does. Again: drawn a second time, so not trained again.
Area: what the front covers of accuracy from 0 to 1 over parameters from 1,000 to 100,000, on a
logarithmic scale.

| search | seed | trials | again | failed | on front | best | smallest network | area | seconds |
|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|"""


if __name__ == "__main__":
    main()
