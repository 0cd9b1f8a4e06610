"""One way of calculating a step, timed: what engine_modes puts side by side."""

import copy
import gc
import math
import statistics
import subprocess
import time
import traceback
from collections.abc import Callable, Iterator, Mapping
from itertools import cycle
from pathlib import Path
from typing import Any

import torch
from torch import nn

from core.analyse import analyse_project, build
from core.engine.precision import use_deterministic_algorithms
from core.engine.rng import seed_all
from core.engine.trainer import DeviceSplit, Trainer
from core.project import open_project
from core.settings.accelerations import OFF
from core.settings.validate import resolve
from tests.core.single_output import measure_for, single_loss

ROOT = Path(__file__).resolve().parents[2]
Mode = Mapping[str, str]
BATCHES_PER_EPOCH = 8
EPOCH = 50_000  # samples of the epoch that is told: as many as CIFAR-10 has to learn from
ROUND_S = {"cpu": 0.7, "cuda": 0.15}
LEAST, MOST = 3, 200  # steps of a round
BUSY_S = 0.5  # of steps, before the GPU is asked how busy it was
COLUMNS = (
    "us/step", "spread", "to eager", "s/epoch", "GPU us/step", "GPU busy, %", "data there, s",
    "warm-up, s", "peak, MB", "taken, MB",
)  # fmt: skip


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


def engine(task: str, batch: int, mode: Mode, device: torch.device) -> tuple[Trainer, float]:
    """An engine at the start of a run on random numbers, and the seconds to bring those there."""
    module, shape = network(task)
    count = batch * BATCHES_PER_EPOCH
    x, y = torch.randn(count, *shape), torch.randint(0, 2 if "mlp" in task else 10, (count,))
    module = module.to(device)
    wait(device)
    started = time.perf_counter()
    part = DeviceSplit((x.to(device),), (y.to(device),))
    wait(device)
    load_s = time.perf_counter() - started
    loss = "CrossEntropyLoss"
    training = resolve({"loss": loss, "epochs": 1000, "batch_size": batch}, "classification")
    training |= {**OFF, **mode}
    measure = measure_for("classification", loss, part.targets[0])
    few = DeviceSplit((part.inputs[0][:batch],), (part.targets[0][:batch],))
    return Trainer(module, training, (part, few), single_loss(training, measure)), load_s


def wait(device: torch.device) -> None:
    if device.type == "cuda":
        torch.cuda.synchronize(device)


class Timed:
    """One mode of one task: its warm-up, then rounds of steps."""

    def __init__(self, task: str, batch: int, mode: Mode, device: torch.device):
        self.device, self.cuda, self.batch = device, device.type == "cuda", batch
        self.times, self.gpu_times = list[float](), list[float]()
        held = self._held()
        self.engine, self.load_s = engine(task, batch, mode, device)
        self.engine.module.train()
        self.groups: Iterator[Any] = cycle(self.engine.batches_of_epoch())
        started = time.perf_counter()
        if mode.get("cuda_graph") == "on":
            self.engine.capture()
        self.round(LEAST)
        self.warm_s = time.perf_counter() - started
        self.peak = self._peak(held)
        each = self.round(LEAST)[0] / 1e6
        self.steps = min(MOST, max(LEAST, int(ROUND_S[device.type] / each)))

    def _held(self) -> tuple[int, int]:
        """Bytes of the GPU that others use, and that torch has taken, to count its own from."""
        gc.collect()
        if not self.cuda:
            return 0, 0
        torch.cuda.empty_cache()
        torch.cuda.reset_peak_memory_stats(self.device)
        return torch.cuda.memory_allocated(self.device), torch.cuda.memory_reserved(self.device)

    def _peak(self, held: tuple[int, int]) -> str:
        if not self.cuda:
            return "- | -"
        used = torch.cuda.max_memory_allocated(self.device) - held[0]
        taken = torch.cuda.max_memory_reserved(self.device) - held[1]
        return f"{used / 1e6:.0f} | {taken / 1e6:.0f}"

    def round(self, steps: int) -> tuple[float, float]:
        """Microseconds per step, on the wall and on the GPU's own clock."""
        marks = [torch.cuda.Event(enable_timing=True) for _ in range(2)] if self.cuda else []
        started = time.perf_counter()
        for mark in marks[:1]:
            mark.record()
        for _ in range(steps):
            self.engine.make_step(next(self.groups))
        for mark in marks[1:]:
            mark.record()
        wait(self.device)
        wall = (time.perf_counter() - started) / steps * 1e6
        self.engine.drain_metrics()
        return wall, marks[0].elapsed_time(marks[1]) / steps * 1e3 if marks else 0.0

    def measure(self) -> None:
        """One more round."""
        wall, gpu = self.round(self.steps)
        self.times.append(wall)
        self.gpu_times.append(gpu)

    def busy(self) -> str:
        """Share of the time that the GPU was calculating, as its driver says while it does."""
        if not self.cuda:
            return "-"
        until = time.perf_counter() + BUSY_S
        while time.perf_counter() < until:
            self.round(self.steps)
        return driver_says("utilization.gpu", self.device, lambda: self.round(self.steps))

    def row(self, base: float) -> str:
        """Its cells, as COLUMNS has them. base: microseconds of an eager step."""
        middle = statistics.median(self.times)
        spread = (max(self.times) - min(self.times)) / middle
        gpu = f"{statistics.median(self.gpu_times):.0f}" if self.cuda else "-"
        epoch = middle * math.ceil(EPOCH / self.batch) / 1e6
        return (
            f"{middle:.0f} | {spread:.0%} | {middle / base:.2f} | {epoch:.3g} | {gpu} "
            f"| {self.busy()} | {self.load_s:.3f} | {self.warm_s:.1f} | {self.peak}"
        )

    @property
    def note(self) -> str:
        """What is to be said of its mode."""
        notes, captured = self.engine.notes, self.engine.captured
        if notes:
            return f" ({notes[0]})"
        return " (differs in the last bits)" if captured and not captured.exact else ""


def driver_says(what: str, device: torch.device, meanwhile: Callable[[], Any] | None = None) -> str:
    """Ask the driver's own program about a GPU; "-" where there is none or it does not know."""
    card = f"--id=GPU-{torch.cuda.get_device_properties(device).uuid}"
    command = ["nvidia-smi", f"--query-gpu={what}", "--format=csv,noheader,nounits", card]
    try:
        asked = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
    except OSError:
        return "-"
    while meanwhile and asked.poll() is None:
        meanwhile()
    output = asked.communicate()[0].strip()
    return output if asked.returncode == 0 else "-"


def resumes(task: str, batch: int, mode: Mode, device: torch.device) -> str:
    """Whether a run ends with the same bits when it goes on from a checkpoint half-way."""
    steps = BATCHES_PER_EPOCH // 2

    def go(made: Trainer, count: int) -> None:
        made.module.train()
        if mode.get("cuda_graph") == "on" and not made.captured:
            made.capture()
        for group in made.batches_of_epoch()[made.batch :][:count]:
            made.make_step(group)

    use_deterministic_algorithms(True, device)
    try:
        whole, _ = engine(task, batch, mode, device)
        seed_all(1)
        go(whole, steps)
        state = copy.deepcopy(whole.state_dict())
        go(whole, steps)
        again, _ = engine(task, batch, mode, device)
        again.load_state_dict(state)
        go(again, steps)
    except Exception as error:  # a way that is not deterministic says so
        traceback.print_exception(error)
        return type(error).__name__
    finally:
        use_deterministic_algorithms(False, device)
    found, wanted = again.module.state_dict(), whole.module.state_dict()
    if not all(torch.equal(found[n], value) for n, value in wanted.items()):
        return "no"
    return "eager" if mode.get("cuda_graph") == "on" and not again.captured else "yes"
