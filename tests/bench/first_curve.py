"""How long the first curve of a run takes by its steps, with the summary of its worker and without.

Run: python -m tests.bench.first_curve [REPEATS]; kept in first_curve.md. Both are measured by turns
in a process that has not seen the run, as what a page's first poll asks of the server; the answer
is made into JSON. A flush of a worker writes 100 steps, an epoch has 1,000.
"""

import json
import os
import platform
import statistics
import sys
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from core.runs.curves import CurveKeeper
from core.runs.history import Histories
from core.runs.jsonl import Lines

FIGURES = Path(__file__).with_name("first_curve.md")
STEPS = (1_000, 10_000, 100_000, 1_000_000)
FLUSH, EPOCH = 100, 1_000


def write_run(folder: Path, steps: int) -> Path:
    """The metrics of a run as its worker writes them; the summary lies beside them."""
    lines = Lines(folder / "metrics.jsonl")
    keeper = CurveKeeper(lines.path, 1)
    for first in range(1, steps + 1, FLUSH):
        numbers = list(range(first, first + FLUSH))
        loss = [round(2.3 / (1 + n / 5000) + (n * 7919 % 1000) / 5000, 6) for n in numbers]
        records: list[dict[str, Any]] = [
            {"attempt": 1, "kind": "step", "step": numbers, "epoch": [n // EPOCH for n in numbers],
             "loss": loss, "lr": [0.001] * FLUSH},
            {"attempt": 1, "kind": "pulse", "step": [numbers[-1]], "grad_norm": [1.5],
             "samples_per_s": [1e5]},
        ]  # fmt: skip
        if numbers[-1] % EPOCH == 0:
            epoch = {"epoch": [numbers[-1] // EPOCH], "step": [numbers[-1]], "val_loss": [loss[-1]]}
            records.append({"attempt": 1, "kind": "epoch", **epoch})
        for record in records:
            lines.write(record)
            keeper.add(record, lines.size)
    lines.close()
    return lines.path


def first(path: Path) -> float:
    """Seconds until the first answer about a run stands as JSON."""
    begin = time.perf_counter()
    records, _ = Histories().window(path, 1)
    json.dumps(records)
    return time.perf_counter() - begin


def measured(steps: int, repeats: int) -> tuple[int, float, float]:
    """Bytes of metrics; median seconds without the summary, and with it."""
    with tempfile.TemporaryDirectory() as folder:
        path = write_run(Path(folder), steps)
        beside, aside = path.with_name("curves.json"), path.with_name("aside")
        without, having = [], []
        for _ in range(repeats):
            if beside.exists():
                beside.rename(aside)
            without.append(first(path))
            if aside.exists():
                aside.rename(beside)
            having.append(first(path))
        return path.stat().st_size, statistics.median(without), statistics.median(having)


def main(words: list[str]) -> None:
    """Measure all lengths and keep the table."""
    repeats = int(words[0]) if words else 3
    day, load = datetime.now(UTC).date(), os.getloadavg()[0]
    lines = [
        "# The first curve of a run",
        "",
        f"Measured on {day} by `python -m tests.bench.first_curve`, which says what it is: "
        f"{os.cpu_count()} processors (load before: {load:.1f}), Python "
        f"{platform.python_version()}. Median of {repeats}, by turns; seconds.",
        "",
        "| steps | MB of metrics | read whole, as before | with the summary |",
        "|---|---|---|---|",
    ]
    for steps in STEPS:
        size, without, having = measured(steps, repeats)
        lines.append(f"| {steps:,} | {size / 1e6:.1f} | {without:.3f} | {having:.3f} |")
        sys.stderr.write(lines[-1] + "\n")
    FIGURES.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
