"""Time per block: the network's own forward is run and every statement is timed."""

import time
from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor, nn

from core.analyse import build
from core.analyse.activations import ActivationRecorder, recording_activations
from core.analyse.report import Report, size
from core.common.device import CPU, has
from core.insight.eval_context import quiet

BUDGET_S = 1.5
ROUNDS = (3, 30)  # at least, at most
ROOM_BYTES = 2 * 2**30  # parameters and all outputs; above it the batch is halved


class Clock:
    """Measures how long each node path runs during a watched forward.

    look: that of the watched forward, which then keeps no values.
    """

    def __init__(self, look: ActivationRecorder, device: str) -> None:
        self.stack: list[str] = _Stamped(self)
        self.began: list[float] = []
        self.seconds: dict[str, float] = {}
        self._device = device
        look.stack, look.out = self.stack, self.out

    def now(self) -> float:
        """The time in seconds, after the device has finished its queued work."""
        if has(self._device, "asynchronous"):
            torch.cuda.synchronize()
        return time.perf_counter()

    def out(self, value: Any) -> Any:
        """Leave the statement that was entered last."""
        path = ".".join(self.stack)
        spent = self.now() - self.began.pop()
        self.stack.pop()
        self.seconds[path] = self.seconds.get(path, 0.0) + spent
        return value


class _Stamped(list[str]):
    """The stack of running nodes; notes when each was entered."""

    def __init__(self, clock: Clock) -> None:
        super().__init__()
        self._clock = clock

    def append(self, name: str, /) -> None:
        super().append(name)
        self._clock.began.append(self._clock.now())


def time_blocks(report: Report, batch: int, device: str = CPU) -> dict[str, Any]:
    """Run the report's source on random data and give the milliseconds of each path.

    ms: the fastest of the rounds of one forward pass, in evaluation mode, since all else that a
    machine does only adds; a composite's holds those of what is inside. batch: what it was really
    measured with, halved until it fits in memory.
    Raises ValueError for a network with errors or one that cannot run on random data.
    """
    if report.source is None:
        raise ValueError("Measuring needs a network without errors.")
    batch = fitting(report, batch)
    module = build(report.source, report.class_name).to(device)
    inputs = [_values(size(s, batch), s.dtype, device) for _, s in report.inputs]
    rounds = measured(module, inputs, report, device)
    paths = {path: min(r.get(path, 0.0) for r in rounds) for path in rounds[0]}
    return {
        "ms": {path: round(1000 * seconds, 4) for path, seconds in summed(report, paths).items()},
        "batch": batch,
        "rounds": len(rounds),
        "device": "CPU" if has(device, "host") else torch.cuda.get_device_name(),
        "threads": torch.get_num_threads() if has(device, "host") else 0,
    }


def fitting(report: Report, batch: int) -> int:
    """Halve a batch until the network's parameters and outputs fit."""
    each = sum(n.activation_bytes for p, n in report.nodes.items() if "." not in p)
    while batch > 1 and 4 * report.total_params + batch * each > ROOM_BYTES:
        batch //= 2
    return batch


def _values(shape: tuple[int, ...], dtype: str, device: str) -> Tensor:
    kind = getattr(torch, dtype)
    made = torch.randn(shape, device=device) if kind.is_floating_point else torch.zeros(shape)
    return made.to(device, kind)


def measured(
    module: nn.Module, inputs: list[Tensor], report: Report, device: str, budget_s: float = BUDGET_S
) -> list[dict[str, float]]:
    """Seconds of each path, round by round until the time is up; the first, in which torch sets
    itself up, does not count."""
    rounds: list[dict[str, float]] = []
    end = time.perf_counter() + budget_s
    with quiet(module), recording_activations(module, report.source or "", report.lines) as look:
        clock = Clock(look, device)
        module(*inputs)
        while len(rounds) < ROUNDS[0] or (len(rounds) < ROUNDS[1] and time.perf_counter() < end):
            clock.seconds = {}
            module(*inputs)
            rounds.append(clock.seconds)
    return rounds


def summed(report: Report, seconds: Mapping[str, float]) -> dict[str, float]:
    """Times per node; a container takes at least the sum of its children (a chain has no line)."""
    totals = dict(seconds)
    for path in sorted(report.nodes, key=lambda p: -p.count(".")):
        inside = sum(totals.get(child, 0.0) for child in report.nodes[path].children)
        if inside > totals.get(path, 0.0):
            totals[path] = inside
    return {path: totals[path] for path in report.nodes if path in totals}
