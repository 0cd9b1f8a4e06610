"""Time the engine against other loops: `python -m tests.bench.engine_vs_loop`.

All train the same network on the same data in one process, one thread, in random order; the figure
is time per step, as the slope between a short and a long fit, median of the repeats. The
garbage collector is frozen for all of them, as a run's worker does after its imports. Before
any time is printed, engine and loop must end with the same weights, bit for bit, and every other
contender must have learnt as much.

Compiling a step is timed by itself, with nothing kept of it and with what it kept on the disk. Then
come runs of 200 epochs in processes of their own, in wall time: `compile_step` off, auto with
nothing kept on the disk, and, where that changed over, auto again; short runs several times.
`--results` keeps what is measured of a network, so that an interrupted bench goes on where it was.
"""
# ruff: noqa: T201

import argparse
import contextlib
import gc
import io
import json
import os
import random
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from unittest.mock import patch

import torch
from torch import Tensor, nn

from core.data.batches.epochs import EpochBatches
from core.data.batches.validation_batch import MOST
from core.prepare.create import prepare
from core.runs.files import read_json
from core.runs.status import Status
from core.worker.attempt import Attempt
from core.worker.setup import prepare as prepare_run
from tests.bench import compile_costs, engine_table, peers
from tests.bench.compile_costs import by_engine
from tests.bench.engine_table import Figures
from tests.bench.engine_tasks import RESNET, TASKS, Task, task_of

ALL_ON = "engine, all on"  # trains a module of its own, in a run folder
NOISE = 0.08  # of accuracy between two shuffles of a small validation part


def plain_loop(task: Task, module: nn.Module, epochs: int) -> None:
    """What a careful person writes: resident tensors, fused optimiser, no `.item()` per step."""
    train, validation = task.parts
    settings = {"lr": task.training["lr"], **task.training["optimizer_settings"]}
    make = getattr(torch.optim, task.training["optimizer"])
    optimiser = make(module.parameters(), **settings, fused=True)
    criterion = getattr(nn, task.training["loss"])(**task.training["loss_settings"])
    sampler = EpochBatches(len(train), task.training["batch_size"], task.training["seed"])
    for epoch in range(epochs):
        module.train()
        losses: list[Tensor] = []
        sampler.set_epoch(epoch)
        for indices in sampler:
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
    engine = task.engine(module, epochs=epochs)
    for _ in by_engine(engine):
        pass
    engine.drain_metrics()


def compiled_engine(task: Task, module: nn.Module, epochs: int) -> None:
    """Go on with one network in all fits, which is compiled already."""
    assert task.compiled
    engine, loop = task.compiled
    for _ in range(epochs):
        next(loop)
    module.load_state_dict(engine.module.state_dict())


def whole_run(task: Task, module: nn.Module, epochs: int) -> None:
    """Everything on: run folder, metrics, status, TensorBoard, checkpoints, live views."""
    with tempfile.TemporaryDirectory() as folder:
        changes = {"epochs": epochs, "threads": 1, "checkpoint_every_s": 10.0}
        run_dir = prepare(task.project, task.report, Path(folder), changes)
        spec = read_json(run_dir / "spec.json")
        loop = prepare_run(Attempt(run_dir, spec, Status(run_dir, {})))
        (run_dir / "viewer").touch()
        loop.run()


CONTENDERS: dict[str, peers.Fit] = {
    "well-written loop": plain_loop,
    "engine": bare_engine,
    engine_table.COMPILED: compiled_engine,
    ALL_ON: whole_run,
}
FEW = (
    "well-written loop",
    "engine",
    engine_table.COMPILED,
    "tutorial loop",
    "Fabric, tuned",
    "Lightning, tuned",
)
"""Who trains the network that takes long."""


def seconds(fit: peers.Fit, task: Task, module: nn.Module, epochs: int) -> tuple[float, float]:
    """Processor and wall time of one fit, whatever it prints."""
    gc.collect()
    gc.freeze()
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        started = time.process_time(), time.perf_counter()
        fit(task, module, epochs)
        return time.process_time() - started[0], time.perf_counter() - started[1]


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


def steps_of(task: Task) -> int:
    """Steps of an epoch."""
    return len(EpochBatches(len(task.parts[0]), task.training["batch_size"], 0))


def measured(
    task: Task, fits: Mapping[str, peers.Fit], epochs: tuple[int, int], repeats: int
) -> dict[str, list[tuple[float, float]]]:
    """Microseconds per step of each contender, processor and wall, one figure a repeat."""
    per = (epochs[1] - epochs[0]) * steps_of(task) / 1e6
    found: dict[str, list[tuple[float, float]]] = {name: [] for name in fits}
    for _ in range(repeats):
        for name in random.sample(list(fits), len(fits)):
            short, long = (seconds(fits[name], task, task.module(), n) for n in epochs)
            found[name].append(((long[0] - short[0]) / per, (long[1] - short[1]) / per))
    return found


def figures(name: str, fits: Mapping[str, peers.Fit], repeats: int) -> Figures:
    """Everything that the table has of one network."""
    with (
        tempfile.TemporaryDirectory() as folder,
        patch.dict(os.environ, {"LAYERLOOM_WORKSPACE": folder}),
    ):
        task = task_of(name)
        cost = compile_costs.compiling(task)
        check_equal(task, name, fits, TASKS[name][1])
        times = measured(task, fits, TASKS[name], repeats)
        engine_table.show(name, times)
        task.compiled = None
        runs = compile_costs.whole_runs(task.project)
    return {"times": times, "steps": steps_of(task), **cost, "runs": runs}


def main() -> None:
    """Print one table: microseconds per step, and the ratio to the well-written loop."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("repeats", type=int, nargs="?", default=7)
    parser.add_argument("--only", default="", help="of the tasks, those with this in their name")
    parser.add_argument("--results", type=Path, help="keep what is measured in this file of JSON")
    parser.add_argument("--write", action="store_true", help="write engine_figures.md, too")
    args = parser.parse_args()
    torch.set_num_threads(1)
    peers.hush()
    fits = {**CONTENDERS, **peers.installed()}
    for package in peers.missing():
        print(f"{package} is not installed and left out (pip install -e .[bench]).")
    engine_table.heading()
    kept = args.results if args.results and args.results.exists() else None
    found: dict[str, Figures] = json.loads(kept.read_text("utf-8")) if kept else {}
    for name in TASKS:
        if args.only in name and name not in found:
            some = {n: fits[n] for n in FEW if n in fits} if name == RESNET else fits
            found[name] = figures(name, some, args.repeats)
            if args.results:
                args.results.write_text(json.dumps(found, indent=1), "utf-8")
            print(*engine_table.costs(name, found[name]), sep="\n", flush=True)
    if args.write:
        engine_table.write({name: found[name] for name in TASKS if name in found})


if __name__ == "__main__":
    main()
