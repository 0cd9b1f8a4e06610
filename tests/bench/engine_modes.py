"""Ways of calculating a step, side by side: `python tests/bench/engine_modes.py [--device cuda]`.

Wall time per step of the engine up to where the device has done it, median of interleaved rounds,
on random numbers that lie on the device; on a GPU the same by its own clock, and how busy it says
it is; warm-up (compiling, recording, choosing kernels) apart; memory at its peak; and whether a
deterministic run that goes on from a checkpoint ends with the same bits. --write writes the table
down, after each network and batch. Needs torch, torchvision for resnet18, networkx and safetensors;
where Layerloom is not installed, PYTHONPATH=. in the root.
"""
# ruff: noqa: T201

import argparse
import copy
import datetime
import gc
import platform
import random
import statistics
import time
import traceback
from collections.abc import Iterator, Mapping
from itertools import cycle
from pathlib import Path
from typing import Any

import torch
from torch import nn

from core.analyse import analyse_project, build
from core.project import open_project
from core.train.chance import seed_all
from core.train.computing import be_deterministic
from core.train.engine import Engine, Part
from core.train.measures import measure_for
from core.train.modes import OFF
from core.train.objective import one_loss
from core.train.resolve import resolve

ROOT = Path(__file__).resolve().parents[2]
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
STEPS = {"cpu": 20, "cuda": 200}
BUSY_S = 0.7  # of steps, before the GPU is asked how busy it was


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
        self.device, self.cuda = device, device.type == "cuda"
        self.times, self.gpu_times = list[float](), list[float]()
        held = self._held()
        self.engine = engine(task, batch, mode, device)
        self.engine.module.train()
        self.groups: Iterator[Any] = cycle(self.engine._groups())
        wait(device)
        started = time.perf_counter()
        if mode.get("cuda_graph") == "on":
            self.engine.capture()
        self.round(3)
        self.warm_s = time.perf_counter() - started
        peak = torch.cuda.max_memory_allocated(device) - held if self.cuda else 0
        self.peak = f"{peak / 1e6:.0f}" if self.cuda else "-"

    def _held(self) -> int:
        """Bytes of the GPU that others hold, from which its own peak is counted."""
        gc.collect()
        if not self.cuda:
            return 0
        torch.cuda.empty_cache()
        torch.cuda.reset_peak_memory_stats(self.device)
        return torch.cuda.memory_allocated(self.device)

    def round(self, steps: int) -> tuple[float, float]:
        """Microseconds per step, on the wall and on the GPU's own clock."""
        marks = [torch.cuda.Event(enable_timing=True) for _ in range(2)] if self.cuda else []
        started = time.perf_counter()
        for mark in marks[:1]:
            mark.record()
        for _ in range(steps):
            self.engine._step(next(self.groups))
        for mark in marks[1:]:
            mark.record()
        wait(self.device)
        wall = (time.perf_counter() - started) / steps * 1e6
        self.engine.take()
        return wall, marks[0].elapsed_time(marks[1]) / steps * 1e3 if marks else 0.0

    def measure(self, steps: int) -> None:
        """One more round."""
        wall, gpu = self.round(steps)
        self.times.append(wall)
        self.gpu_times.append(gpu)

    def busy(self) -> str:
        """Share of the time that the GPU was calculating, by its driver; "-" where it is silent."""
        until = time.perf_counter() + BUSY_S
        while self.cuda and time.perf_counter() < until:
            self.round(20)
        try:
            return f"{torch.cuda.utilization(self.device)}" if self.cuda else "-"
        except (ModuleNotFoundError, RuntimeError):
            return "-"


def resumes(task: str, batch: int, mode: Mapping[str, str], device: torch.device) -> str:
    """Whether a run ends with the same bits when it goes on from a checkpoint half-way."""
    steps = BATCHES_PER_EPOCH // 2

    def go(made: Engine, count: int) -> None:
        made.module.train()
        if mode.get("cuda_graph") == "on" and not made.captured:
            made.capture()
        for group in made._groups()[made.batch :][:count]:
            made._step(group)

    be_deterministic(True, device)
    try:
        whole = engine(task, batch, mode, device)
        seed_all(1)
        go(whole, steps)
        state = copy.deepcopy(whole.state())
        go(whole, steps)
        again = engine(task, batch, mode, device)
        again.restore(state)
        go(again, steps)
    except Exception as error:  # a way that is not deterministic says so
        traceback.print_exception(error)
        return type(error).__name__
    finally:
        be_deterministic(False, device)
    found, wanted = again.module.state_dict(), whole.module.state_dict()
    return "yes" if all(torch.equal(found[n], value) for n, value in wanted.items()) else "no"


def measured(
    task: str, batch: int, device: torch.device, args: argparse.Namespace, resume: bool
) -> list[str]:
    """Rows of the table, one for each mode."""
    found: dict[str, Timed] = {}
    rows = []
    for name in args.modes:
        mode = MODES[name]
        if device.type != "cuda" and "cuda_graph" in mode:
            continue
        try:
            found[name] = Timed(task, batch, mode, device)
        except Exception as error:  # the other modes are worth measuring all the same
            traceback.print_exception(error)
            rows.append(f"| {task} | {batch} | {name}: {type(error).__name__} |" + " - |" * 8)
    for _ in range(args.rounds):
        for name in random.sample(list(found), len(found)):
            found[name].measure(args.steps or STEPS[device.type])
    base = statistics.median(found["eager"].times) if "eager" in found else float("nan")
    for name, timed in found.items():
        same = resumes(task, batch, MODES[name], device) if resume else "-"
        rows.append(f"| {task} | {batch} | {name}{_note(timed)} | {_row(timed, base)} | {same} |")
    print(*rows, sep="\n", flush=True)
    found.clear()
    torch.compiler.reset()  # else what was compiled for another batch counts towards a limit
    return rows


def _note(timed: Timed) -> str:
    notes, captured = timed.engine.notes, timed.engine.captured
    if notes:
        return f" ({notes[0]})"
    return " (differs in the last bits)" if captured and not captured.exact else ""


def _row(timed: Timed, base: float) -> str:
    middle = statistics.median(timed.times)
    spread = (max(timed.times) - min(timed.times)) / middle
    gpu = f"{statistics.median(timed.gpu_times):.0f}" if timed.cuda else "-"
    return (
        f"{middle:.0f} | {spread:.0%} | {middle / base:.2f} | {gpu} | {timed.busy()} "
        f"| {timed.warm_s:.1f} | {timed.peak}"
    )


def main() -> None:
    """Measure everything, print it, and write it down where asked."""
    parser = argparse.ArgumentParser(description=__doc__)
    there = "cuda" if torch.cuda.is_available() else "cpu"
    parser.add_argument("--device", default=there)
    parser.add_argument("--batches", type=int, nargs="+", default=[64, 512, 2000])
    parser.add_argument("--tasks", nargs="+", default=list(TASKS))
    parser.add_argument("--modes", nargs="+", default=list(MODES), choices=list(MODES))
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--steps", type=int, help="of a round")
    parser.add_argument("--write", nargs="?", const="", help="a file, else one beside this script")
    args = parser.parse_args()
    device = torch.device(args.device)
    be_deterministic(False, device)
    file = Path(args.write or Path(__file__).with_name(NAMES[device.type]))
    head = heading(device)
    print(head, flush=True)
    rows: list[str] = []
    for task in args.tasks:
        for batch in args.batches:
            rows += measured(task, batch, device, args, resume=batch == args.batches[0])
            if args.write is not None:
                file.write_text("\n".join([head, *rows, "", TAIL]), "utf-8")


def heading(device: torch.device) -> str:
    """What was measured where, and the head of the table."""
    cuda = device.type == "cuda"
    name = torch.cuda.get_device_name(device) if cuda else f"{torch.get_num_threads()} threads"
    return (
        "# Ways of calculating a step\n\n"
        f"Measured on {datetime.datetime.now(datetime.UTC).date()} by `python "
        f"tests/bench/engine_modes.py` with torch {torch.__version__} and Python "
        f"{platform.python_version()} on {device.type} ({name}).\n\n"
        "| network | batch | mode | us/step | spread | to eager | GPU us/step | GPU busy, % "
        "| warm-up, s | peak, MB | resumes |\n"
        "|---|---|---|---|---|---|---|---|---|---|---|"
    )


NAMES = {"cpu": "engine_modes.md", "cuda": "engine_modes_cuda.md"}
TAIL = """Median of interleaved rounds, wall time up to where the device is done; spread: largest
minus smallest round, as a share of it; the ratio is to eager in the same table. GPU us/step:
between two events on the GPU; GPU busy: as its driver says. Peak: over what else is held. Resumes:
a deterministic run that goes on from a checkpoint ends with the same bits, tried for the first
batch.
"""


if __name__ == "__main__":
    main()
