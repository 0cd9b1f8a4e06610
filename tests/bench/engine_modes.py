"""Ways of calculating a step, side by side: `python tests/bench/engine_modes.py [--device cuda]`.

Wall time per step of the engine, median of interleaved rounds, on random numbers that lie on the
device; warm-up (compiling, recording) apart; peak memory where the device tells it; and whether a
run that goes on from a checkpoint ends with the same bits. Writes engine_modes.md with --write.
"""
# ruff: noqa: T201

import argparse
import copy
import datetime
import platform
import random
import statistics
import time
from collections.abc import Iterator, Mapping
from itertools import cycle
from pathlib import Path
from typing import Any

import torch
from torch import nn

from core.analyse import analyse_project, build
from core.project import open_project
from core.train.engine import Engine, Part
from core.train.measures import measure_for
from core.train.modes import OFF
from core.train.objective import one_loss
from core.train.resolve import resolve

ROOT = Path(__file__).resolve().parents[2]
FIGURES = Path(__file__).with_name("engine_modes.md")
TASKS = ("mlp_breast_cancer", "lenet_digits", "resnet18")
"""Templates, and a model of torchvision on pictures of 32 x 32."""
BF16 = {"precision": "bfloat16"}
LAST, GRAPH, COMPILED = {"channels_last": "on"}, {"cuda_graph": "on"}, {"compile": "on"}
MODES: dict[str, dict[str, str]] = {
    "eager": {},
    "bfloat16": BF16,
    "channels last": LAST,
    "compiled": COMPILED,
    "CUDA graph": GRAPH,
    "bfloat16, channels last": BF16 | LAST,
    "bfloat16, channels last, compiled": BF16 | LAST | COMPILED,
    "bfloat16, channels last, CUDA graph": BF16 | LAST | GRAPH,
    "all": BF16 | LAST | COMPILED | GRAPH,
}
BATCHES_PER_EPOCH = 8


def network(task: str) -> tuple[nn.Module, tuple[int, ...]]:
    """A network with its first weights, and the shape of a sample."""
    torch.manual_seed(0)
    if task == "resnet18":
        from torchvision.models import resnet18

        return resnet18(num_classes=10), (3, 32, 32)
    report = analyse_project(open_project(ROOT / "projects" / f"{task}.loom.json"))
    assert report.source is not None
    shape = tuple(int(str(size)) for size in report.inputs[0][1].shape[1:])
    return build(report.source, report.class_name), shape


def engine(task: str, batch: int, mode: Mapping[str, str], device: torch.device) -> Engine:
    """An engine at the start of a run on random numbers."""
    module, shape = network(task)
    count = batch * BATCHES_PER_EPOCH
    x = torch.randn(count, *shape).to(device)
    y = torch.randint(0, 2 if task == "mlp_breast_cancer" else 10, (count,))
    part = Part((x,), (y.to(device),))
    loss = "CrossEntropyLoss"
    training = resolve({"loss": loss, "epochs": 1000, "batch_size": batch}, "classification")
    training |= {**OFF, **mode}
    measure = measure_for("classification", loss, part.targets[0])
    few = Part((x[:batch],), (part.targets[0][:batch],))
    return Engine(module.to(device), training, (part, few), one_loss(training, measure))


def wait(device: torch.device) -> None:
    if device.type == "cuda":
        torch.cuda.synchronize(device)


class Timed:
    """One mode of one task: its warm-up, then rounds of steps."""

    def __init__(self, task: str, batch: int, mode: Mapping[str, str], device: torch.device):
        self.device, self.times = device, list[float]()
        if device.type == "cuda":
            torch.cuda.reset_peak_memory_stats(device)
        self.engine = engine(task, batch, mode, device)
        self.engine.module.train()
        self.groups: Iterator[Any] = cycle(self.engine._groups())
        started = time.perf_counter()
        if mode.get("cuda_graph") == "on":
            self.engine.capture()
        self.round(3)
        self.warm_s = time.perf_counter() - started
        cuda = device.type == "cuda"
        self.peak_mb = torch.cuda.max_memory_allocated(device) / 1e6 if cuda else None

    def round(self, steps: int) -> float:
        """Microseconds per step."""
        started = time.perf_counter()
        for _ in range(steps):
            self.engine._step(next(self.groups))
        wait(self.device)
        self.engine.take()
        return (time.perf_counter() - started) / steps * 1e6


def resumes(task: str, batch: int, mode: Mapping[str, str], device: torch.device) -> bool:
    """Whether a run ends with the same bits when it goes on from a checkpoint half-way."""
    steps = BATCHES_PER_EPOCH // 2

    def go(made: Engine, count: int) -> None:
        made.module.train()
        if mode.get("cuda_graph") == "on":
            made.capture()
        for group in made._groups()[made.batch :][:count]:
            made._step(group)

    whole = engine(task, batch, mode, device)
    torch.manual_seed(1)
    go(whole, steps)
    state = copy.deepcopy(whole.state())
    go(whole, steps)
    again = engine(task, batch, mode, device)
    again.restore(state)
    go(again, steps)
    found, wanted = again.module.state_dict(), whole.module.state_dict()
    return all(torch.equal(found[name], value) for name, value in wanted.items())


def measured(task: str, batch: int, device: torch.device, rounds: int, steps: int) -> list[str]:
    """Rows of the table: mode, microseconds, ratio to eager, warm-up, memory, resume."""
    wanted = {n: m for n, m in MODES.items() if device.type == "cuda" or "cuda_graph" not in m}
    found = {name: Timed(task, batch, mode, device) for name, mode in wanted.items()}
    for _ in range(rounds):
        for name in random.sample(list(found), len(found)):
            found[name].times.append(found[name].round(steps))
    base = statistics.median(found["eager"].times)
    rows = []
    for name, timed in found.items():
        middle = statistics.median(timed.times)
        peak = f"{timed.peak_mb:.0f}" if timed.peak_mb is not None else "-"
        same = "yes" if resumes(task, batch, wanted[name], device) else "no"
        note = f" ({timed.engine.notes[0]})" if timed.engine.notes else ""
        rows.append(
            f"| {task} | {batch} | {name}{note} | {middle:.0f} | {middle / base:.2f} "
            f"| {timed.warm_s:.1f} | {peak} | {same} |"
        )
        print(rows[-1], flush=True)
    return rows


def main() -> None:
    """Measure everything, print it, and write it down where asked."""
    parser = argparse.ArgumentParser(description=__doc__)
    there = "cuda" if torch.cuda.is_available() else "cpu"
    parser.add_argument("--device", default=there)
    parser.add_argument("--batches", type=int, nargs="+", default=[64, 512, 2000])
    parser.add_argument("--tasks", nargs="+", default=list(TASKS))
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--steps", type=int, default=20)
    parser.add_argument("--write", action="store_true")
    args = parser.parse_args()
    device = torch.device(args.device)
    cuda = device.type == "cuda"
    name = torch.cuda.get_device_name(device) if cuda else f"{torch.get_num_threads()} threads"
    head = (
        "# Ways of calculating a step\n\n"
        f"Measured on {datetime.datetime.now(datetime.UTC).date()} by `python "
        f"tests/bench/engine_modes.py` with torch {torch.__version__} and Python "
        f"{platform.python_version()} on {args.device} ({name}).\n\n"
        "| network | batch | mode | us/step | to eager | warm-up, s | peak, MB | resumes |\n"
        "|---|---|---|---|---|---|---|---|"
    )
    print(head, flush=True)
    rows = [
        row
        for task in args.tasks
        for batch in args.batches
        for row in measured(task, batch, device, args.rounds, args.steps)
    ]
    if args.write:
        FIGURES.write_text("\n".join([head, *rows, "", TAIL]), "utf-8")


TAIL = """Median of interleaved rounds; the ratio is to eager in the same table. Resumes: a run that
goes on from a checkpoint ends with the same bits.
"""


if __name__ == "__main__":
    main()
