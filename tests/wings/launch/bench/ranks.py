"""Throughput of several processes against one: `python -m tests.wings.launch.bench.ranks [ROUNDS]`.

Every round measures each way once, one after another, so that a busy machine is busy for all of
them. Samples per second of the steps alone: no start of a process, no validation. Writes ranks.md.
"""

import os
import statistics
import sys
import time
from collections.abc import Callable
from datetime import date
from itertools import cycle
from pathlib import Path
from typing import Any

import torch

from core.engine.param_groups import trainable_parameters
from core.engine.trainer import Trainer
from core.wings.launch.engine.ranked_trainer import RankedTrainer
from core.wings.launch.engine.ranks import Ranks
from tests.gpu.engines import engine, template
from tests.wings.launch.engine.forked_ranks import on_ranks

TABLE = Path(__file__).with_name("ranks.md")
NETWORKS = ("mlp_iris", "lenet_digits", "transformer_digits")
WARM_UP, STEPS, BATCH = 3, 30, 64
ROUNDS = 5
Way = Callable[[str], float]


def made(name: str, kind: type[Trainer], accumulate: int) -> Any:
    """A trainer of a template; a step has BATCH samples, in `accumulate` micro-batches."""
    settings = {"batch_size": BATCH // accumulate, "accumulate": accumulate, "epochs": 1}
    return engine("cpu", template(name), kind, **settings)


def timed(trainer: Any) -> float:
    """Samples per second of some steps."""
    trainable_parameters(trainer.module, trainer.training)
    groups = cycle(trainer.batches_of_epoch()[:-1])
    for _ in range(WARM_UP):
        trainer.make_step(next(groups))
    started = time.perf_counter()
    for _ in range(STEPS):
        trainer.make_step(next(groups))
    return STEPS * BATCH / (time.perf_counter() - started)


def one_process(name: str) -> float:
    """An ordinary trainer, two micro-batches in each step."""
    return timed(made(name, Trainer, 2))


def one_batch(name: str) -> float:
    """An ordinary trainer, one batch in each step."""
    return timed(made(name, Trainer, 1))


def ranks(world: int) -> Way:
    """A trainer of ranks, two micro-batches in each step."""

    def work(own: Ranks, name: str) -> float:
        trainer = made(name, RankedTrainer, 2)
        trainer.join(own)
        return timed(trainer)

    return lambda name: min(on_ranks(world, lambda own: work(own, name)))


WAYS: dict[str, Way] = {
    "one process, one batch": one_batch,
    "one process, accumulate 2": one_process,
    "1 rank": ranks(1),
    "2 ranks": ranks(2),
}


def main(rounds: int, out: Path = TABLE) -> None:
    """Measure all ways on all networks, and write the table."""
    torch.set_num_threads(1)
    load = os.getloadavg()[0]
    found: dict[tuple[str, str], list[float]] = {}
    for name in NETWORKS:
        for _ in range(rounds):
            for way, measure in WAYS.items():
                found.setdefault((name, way), []).append(measure(name))
    rows = [row(name, found) for name in NETWORKS]
    out.write_text("\n".join([*head(rounds, load), *rows, ""]))


def row(name: str, found: dict[tuple[str, str], list[float]]) -> str:
    """A network's line: the median of each way, with the lowest and the highest."""
    cells = [found[name, way] for way in WAYS]
    texts = [f"{statistics.median(c):,.0f} ({min(c):,.0f} to {max(c):,.0f})" for c in cells]
    return f"| {name} | {' | '.join(texts)} |"


def head(rounds: int, load: float) -> list[str]:
    """What was measured, and where."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return [
        "# Times of ranks",
        "",
        f"Measured on {date.today()} by `python -m tests.wings.launch.bench.ranks {rounds}`: "
        f"{cores} processors (load before: {load:.1f}), torch {torch.__version__}, one "
        "thread for each process, "
        f"{STEPS} steps of {BATCH} samples, {rounds} rounds in turn. Samples per second: the "
        "median, the lowest and the highest. Gloo on one machine; GPUs are not measured.",
        "",
        f"| network | {' | '.join(WAYS)} |",
        "|---" * (len(WAYS) + 1) + "|",
    ]


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else ROUNDS)
