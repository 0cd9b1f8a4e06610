"""Number of threads of a run: measured when it starts, then fixed.

The number decides the last bits of a sum, so every later attempt of a run takes the same one.
"""

import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from itertools import cycle
from pathlib import Path

import torch

from core.common.threads import seconds_by_threads
from core.engine.trainer import Trainer
from core.runs.files import THREADS, read_json, write_json

GAIN = 0.9  # share of the time that more threads must come down to


@dataclass(frozen=True)
class ThreadChoice:
    """The number of threads, and why."""

    count: int
    why: str


def read_thread_count(run_dir: Path) -> int:
    """The number of threads of threads.json; 0 where none was tried yet."""
    count = read_json(run_dir / THREADS).get("count", 0)
    return count if isinstance(count, int) and 0 < count <= 1024 else 0


def write_thread_count(run_dir: Path, choice: ThreadChoice) -> None:
    """Write threads.json, for all attempts of the run."""
    write_json(run_dir / THREADS, asdict(choice), durable=True)


def timed_step(engine: Trainer) -> Callable[[], float]:
    """A function that makes one training step of a throw-away engine and returns its seconds."""
    engine.module.train()
    groups = cycle(engine.batches_of_epoch())

    def step() -> float:
        started = time.perf_counter()
        engine.make_step(next(groups))
        return time.perf_counter() - started

    return step


def fastest(step: Callable[[], float], most: int) -> ThreadChoice:
    """Try numbers of threads up to `most`; the fewest that are about as fast as the fastest."""
    times = seconds_by_threads(step, most)
    best = min(times.values())
    count = min(n for n, seconds in times.items() if seconds * GAIN <= best)
    torch.set_num_threads(count)
    timings = ", ".join(f"{_counted(n)} {1000 * times[n]:.3g} ms" for n in sorted(times))
    return ThreadChoice(count, f"Computes with {_counted(count)}: a step takes with {timings}.")


def _counted(count: int) -> str:
    return f"{count} thread{'s' if count > 1 else ''}"
