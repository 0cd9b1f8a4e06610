"""Time the engine against other loops: `python tests/bench/engine_vs_loop.py [REPEATS] [TEMPLATE]`.

All train the same network on the same data in one process, one thread, in random order; the figure
is processor time per step, as the slope between a short and a long fit, median of the repeats. The
garbage collector is frozen for all of them, as a run's worker does after its imports. Before
any time is printed, engine and loop must end with the same weights, bit for bit, and every other
contender must have learnt as much.
"""
# ruff: noqa: T201

import contextlib
import gc
import io
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import peers
import torch
from torch import Tensor, nn

from core.analyse import analyse_project
from core.data import ends
from core.data.batches import batches, epoch_order
from core.data.dataset import load_project
from core.data.portion import MOST
from core.project import open_project
from core.train import prepare
from core.train.attempt import Attempt
from core.train.engine import Engine, Part
from core.train.folder import read_json
from core.train.measures import measure_for
from core.train.objective import one_loss
from core.train.resolve import resolve
from core.train.status import Status

ROOT = Path(__file__).resolve().parents[2]
TASKS = {"mlp_iris": (20, 520), "mlp_breast_cancer": (5, 155), "lenet_digits": (1, 17)}
"""Template: epochs of the short and of the long fit."""
ALL_ON = "engine, all on"  # trains a module of its own, in a run folder
NOISE = 0.08  # of accuracy between two shuffles of a small validation part


@dataclass
class Side:
    """Inputs and targets of one part of the data."""

    inputs: Tensor
    targets: Tensor

    def __len__(self) -> int:
        return len(self.inputs)


@dataclass
class Task:
    """A template's network and data, ready to be trained again and again."""

    project: Any
    report: Any
    parts: tuple[Side, Side]
    training: dict[str, Any]

    def module(self) -> nn.Module:
        torch.manual_seed(0)
        return self.report_module()

    def report_module(self) -> nn.Module:
        from core.analyse import build

        return build(self.report.source, self.report.class_name)


def task_of(template: str) -> Task:
    project = open_project(ROOT / "projects" / f"{template}.loom.json")
    report = analyse_project(project)
    data = load_project(project, *ends(report.inputs, report.outputs), 0)
    training = resolve({**project.training, "threads": 1}, data.task, data.info.losses)
    return Task(project, report, (Side(*data.training()), Side(*data.validation())), training)


def plain_loop(task: Task, module: nn.Module, epochs: int) -> None:
    """What a careful person writes: resident tensors, fused optimiser, no `.item()` per step."""
    train, validation = task.parts
    settings = {"lr": task.training["lr"], **task.training["optimizer_settings"]}
    make = getattr(torch.optim, task.training["optimizer"])
    optimiser = make(module.parameters(), **settings, fused=True)
    criterion = getattr(nn, task.training["loss"])(**task.training["loss_settings"])
    for epoch in range(epochs):
        module.train()
        losses: list[Tensor] = []
        order = epoch_order(len(train), task.training["seed"], epoch)
        for indices in batches(order, task.training["batch_size"]):
            loss = criterion(module(train.inputs[indices]), train.targets[indices])
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            losses.append(loss.detach())
        torch.stack(losses).mean().item()
        module.eval()
        with torch.inference_mode():
            size = max(task.training["batch_size"], MOST)
            for x, y in zip(
                validation.inputs.split(size), validation.targets.split(size), strict=True
            ):
                outputs = module(x)
                criterion(outputs, y).item()
                (outputs.argmax(dim=1) == y).sum().item()


def bare_engine(task: Task, module: nn.Module, epochs: int) -> None:
    training = task.training | {"epochs": epochs}
    measure = measure_for("classification", training["loss"], task.parts[0].targets)
    parts = tuple(Part((side.inputs,), (side.targets,)) for side in task.parts)
    engine = Engine(module, training, (parts[0], parts[1]), one_loss(training, measure))
    for moment in engine.go():
        if moment == "tick":
            engine.take()
    engine.take()


def whole_run(task: Task, module: nn.Module, epochs: int) -> None:
    """Everything on: run folder, metrics, status, TensorBoard, checkpoints, live views."""
    with tempfile.TemporaryDirectory() as folder:
        changes = {"epochs": epochs, "threads": 1, "checkpoint_every_s": 10.0}
        run_dir = prepare(task.project, task.report, Path(folder), changes)
        spec = read_json(run_dir / "spec.json")
        attempt = Attempt(run_dir, spec, Status(run_dir, {}), [])
        attempt.prepare()
        (run_dir / "viewer").touch()
        attempt.run()


CONTENDERS: dict[str, Callable[[Task, nn.Module, int], None]] = {
    "well-written loop": plain_loop,
    "engine": bare_engine,
    ALL_ON: whole_run,
}


def seconds(fit: Callable[[Task, nn.Module, int], None], task: Task, module: nn.Module, epochs: int
            ) -> float:  # fmt: skip
    """Processor time of one fit, whatever it prints."""
    gc.collect()
    gc.freeze()
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        started = time.process_time()
        fit(task, module, epochs)
        return time.process_time() - started


def same_weights(task: Task) -> bool:
    one = task.module()
    plain_loop(task, one, 3)
    two = task.module()  # seeds again: dropout draws the same numbers
    bare_engine(task, two, 3)
    return all(torch.equal(a, b) for a, b in zip(one.parameters(), two.parameters(), strict=True))


def accuracy(task: Task, module: nn.Module) -> float:
    part = task.parts[1]
    module.eval()
    with torch.inference_mode():
        return float((module(part.inputs).argmax(1) == part.targets).float().mean())


def check_equal(task: Task, name: str, fits: Mapping[str, peers.Fit], epochs: int) -> None:
    """The gate: no times of a contender that trains something else."""
    if not same_weights(task):
        raise SystemExit(f"{name}: engine and loop end with different weights; no times.")
    reached = {}
    for contender, fit in fits.items():
        module = task.module()
        seconds(fit, task, module, epochs)
        reached[contender] = accuracy(task, module)
    bar = reached["well-written loop"] - NOISE
    for contender, value in reached.items():
        if contender != ALL_ON and value < bar:
            raise SystemExit(f"{name}: {contender} reaches only {value:.3f}, needs {bar:.3f}.")


def measured(
    task: Task, fits: Mapping[str, peers.Fit], epochs: tuple[int, int], repeats: int
) -> dict[str, list[float]]:
    """Microseconds per step of each contender, one figure a repeat."""
    steps = len(batches(torch.arange(len(task.parts[0])), task.training["batch_size"]))
    found: dict[str, list[float]] = {name: [] for name in fits}
    for _ in range(repeats):
        for name in random.sample(list(fits), len(fits)):
            short, long = (seconds(fits[name], task, task.module(), n) for n in epochs)
            found[name].append((long - short) / (epochs[1] - epochs[0]) / steps * 1e6)
    return found


def show(template: str, found: Mapping[str, list[float]]) -> None:
    base = found["well-written loop"]
    for name, times in found.items():
        ratios = sorted(t / b for t, b in zip(times, base, strict=True))
        middle = statistics.median(times) / statistics.median(base)
        spread = f"{ratios[0]:.2f} to {ratios[-1]:.2f}"
        row = f"{template:20}{name:22}{statistics.median(times):10.0f}{middle:8.2f}  {spread}"
        print(row, flush=True)


def main(repeats: int, only: str = "") -> None:
    """Print one table: microseconds per step, and the ratio to the well-written loop."""
    torch.set_num_threads(1)
    peers.hush()
    fits = {**CONTENDERS, **peers.installed()}
    for package in peers.missing():
        print(f"{package} is not installed and left out (pip install -e .[bench]).")
    print(f"{'template':20}{'contender':22}{'us/step':>10}{'ratio':>8}  spread of ratios")
    for template, epochs in TASKS.items():
        if only in template:
            task = task_of(template)
            check_equal(task, template, fits, epochs[1])
            show(template, measured(task, fits, epochs, repeats))


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 7, *sys.argv[2:3])
