"""How many threads a run computes with: found by trial when it starts, then fixed for good.

The number decides the last bits of a sum, so every later attempt of a run takes the same one.
"""

import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from itertools import cycle
from pathlib import Path

import torch

from core.engine.trainer import Trainer
from core.runs.files import THREADS, read_json, write_json

TRIED = 5  # steps for each number
LONG_S = 2.0  # a step that long is not tried with fewer threads
GAIN = 0.9  # share of the time that more threads must come down to


@dataclass(frozen=True)
class Found:
    """The number of threads, and why."""

    count: int
    why: str


def choose_threads(run_dir: Path) -> int:
    """The number that was found before; 0 where there was no trial yet."""
    count = read_json(run_dir / THREADS).get("count", 0)
    return count if isinstance(count, int) and 0 < count <= 1024 else 0


def keep(run_dir: Path, found: Found) -> None:
    """Write down what was found, for all attempts to come."""
    write_json(run_dir / THREADS, asdict(found), durable=True)


def steps_of(engine: Trainer) -> Callable[[], float]:
    """What makes one step of an engine that nobody needs, and tells its seconds."""
    engine.module.train()
    groups = cycle(engine._groups())

    def step() -> float:
        started = time.perf_counter()
        engine._step(next(groups))
        return time.perf_counter() - started

    return step


def fastest(step: Callable[[], float], most: int) -> Found:
    """Try numbers of threads up to `most`; the fewest that are about as fast as the fastest."""
    times: dict[int, float] = {}
    for count in counts(most):
        torch.set_num_threads(count)
        step()  # the first one starts threads and fills caches
        times[count] = min(step() for _ in range(TRIED if times.get(most, 0.0) < LONG_S / 4 else 2))
        if times[count] > LONG_S:
            break
    best = min(times.values())
    count = min(n for n, taken in times.items() if taken * GAIN <= best)
    torch.set_num_threads(count)
    tried = ", ".join(f"{_said(n)} {1000 * times[n]:.3g} ms" for n in sorted(times))
    return Found(count, f"Computes with {_said(count)}: a step takes with {tried}.")


def counts(most: int) -> list[int]:
    """The numbers that are tried, the largest first."""
    powers = [2**n for n in range(11) if 2**n < most]
    return [most, *reversed(powers)]


def _said(count: int) -> str:
    return f"{count} thread{'s' if count > 1 else ''}"
