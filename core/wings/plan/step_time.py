"""Time of a training step on this device, measured for two batch sizes. With torch."""

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass

import torch

from core.common.device import has
from core.engine.device_trial import called
from core.engine.rng import rng_state, set_rng_state
from core.engine.trainer import Trainer
from core.prepare.lr_finder import PLAIN, engine_for

WARM, STEPS = 2, 5


@dataclass(frozen=True)
class StepTime:
    """Milliseconds of a step by batch size, on a device. device: in words."""

    device: str
    known: tuple[tuple[int, float], ...]

    def at(self, batch: int) -> float:
        """Milliseconds of a step of `batch` samples: on the line through the measured sizes."""
        (few, low), (more, high) = self.known[0], self.known[-1]
        if few == more:
            return low * batch / few
        slope = max(0.0, (high - low) / (more - few))
        return max(low + slope * (batch - few), 0.0) if batch >= few else low * batch / few


def measure_steps(text: str, batches: tuple[int, ...], beside: str = "") -> StepTime:
    """Time training steps of a project on the device of its settings; no weights are changed.

    text: of the project. batches: sizes to measure. The median of STEPS steps after WARM.
    Raises RunError, TrainingError or DataError for a project that cannot be trained.
    """
    before, known, device = rng_state(), dict[int, float](), ""
    try:
        for batch in dict.fromkeys(batches):
            changes = {**PLAIN, "start_from": None, "distil": None, "epochs": 1}
            engine = engine_for(text, {**changes, "batch_size": batch}, beside=beside)
            size, known_ms, device = _measured(engine)
            known[size] = known_ms
    finally:
        set_rng_state(before)
    return StepTime(device, tuple(sorted(known.items())))


def _measured(engine: Trainer) -> tuple[int, float, str]:
    groups = engine.batches_of_epoch()
    needed = (groups * (WARM + STEPS))[: WARM + STEPS]
    engine.module.train()
    device = next(engine.module.parameters()).device
    times = [_timed(lambda group=group: _step(engine, group, device)) for group in needed]
    name = "this CPU" if has(device, "host") else called(device)
    size = sum(len(part) for part in needed[0])
    return size, 1000 * statistics.median(times[WARM:]), name


def _step(engine: Trainer, group: list[torch.Tensor], device: torch.device) -> None:
    engine.train_step(engine.train.batches(group))
    if has(device, "asynchronous"):
        torch.cuda.synchronize(device)


def _timed(work: Callable[[], None]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start
