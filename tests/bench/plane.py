"""How long the plane of two columns takes: a 60 x 60 grid through an MLP, pictures of all blocks.

Run: python -m tests.bench.plane [--times 60] (writes plane.md)
In one process that has the network ready, as the canvas asks while a run goes on: each time with
other weights, samples judged anew, the answer written as JSON. A plain forward of the same grid is
interleaved: what the network alone costs on this machine now. One thread; beside the time on the
clock stands that of the processor, which other work on the machine hardly changes.
"""

import argparse
import json
import os
import statistics
import time
from collections.abc import Sequence
from pathlib import Path

import torch

from core.insight.load_model import NetworkRef
from core.insight.one_sample.plane import grid_of
from core.insight.one_sample.plane_pictures import plane
from core.insight.remembered import opened
from core.project import write_text
from core.project.templates import load_template

OUT = Path(__file__).with_suffix(".md")
BAR_MS = 100
WARM = 5  # first times, not counted


def measured(times: int) -> dict[str, list[float]]:
    """Milliseconds of each answer for all blocks, and of each plain forward."""
    ref: NetworkRef = ("project", write_text(load_template("mlp_spirals")), "")
    module, inputs = opened(ref).module, grid_of(ref).inputs
    found: dict[str, list[float]] = {"plane": [], "processor": [], "forward": []}
    for _ in range(times + WARM):
        with torch.no_grad():
            for weight in module.parameters():
                weight.add_(0.01 * torch.randn_like(weight))
        begin, worked = time.perf_counter(), time.process_time()
        json.dumps(plane(ref, "", "tanh1"))
        middle, worked = time.perf_counter(), time.process_time() - worked
        with torch.no_grad():
            module(*inputs)
        found["plane"].append(1000 * (middle - begin))
        found["processor"].append(1000 * worked)
        found["forward"].append(1000 * (time.perf_counter() - middle))
    return {name: taken[WARM:] for name, taken in found.items()}


def table(found: dict[str, list[float]], load: float) -> str:
    """The figures as Markdown, beside the bar."""
    rows = [
        f"| {name} | {statistics.median(taken):.1f} | {max(taken):.1f} | {bar} |"
        for (name, taken), bar in zip(found.items(), (f"< {BAR_MS}", "", ""), strict=True)
    ]
    return "\n".join([
        "# The plane of two columns", "",
        f"Measured on {time.strftime('%Y-%m-%d')} by `python -m tests.bench.plane` with torch "
        f"{torch.__version__} on {os.cpu_count()} processors, load before: {load:.1f}. "
        "Milliseconds.", "",
        "| | p50 | largest | bar |", "|---|---|---|---|", *rows, "",
        "plane: a grid of 60 x 60 through the MLP on spirals, four units of every block, all 16 of "
        "one, the boundary, 500 samples and both accuracies, as JSON; processor: its time of the "
        "processor; forward: the same grid through the module alone, interleaved.", "",
    ])  # fmt: skip


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and write the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--times", type=int, default=60)
    load = os.getloadavg()[0]
    torch.set_num_threads(1)
    OUT.write_text(table(measured(parser.parse_args(arguments).times), load), "utf-8")


if __name__ == "__main__":
    main()
