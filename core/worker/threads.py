"""Number of threads of a run: measured when it starts, then fixed.

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
    times: dict[int, float] = {}
    for count in thread_counts(most):
        torch.set_num_threads(count)
        step()  # the first one starts threads and fills caches
        times[count] = min(step() for _ in range(TRIED if times.get(most, 0.0) < LONG_S / 4 else 2))
        if times[count] > LONG_S:
            break
    best = min(times.values())
    count = min(n for n, seconds in times.items() if seconds * GAIN <= best)
    torch.set_num_threads(count)
    timings = ", ".join(f"{_counted(n)} {1000 * times[n]:.3g} ms" for n in sorted(times))
    return ThreadChoice(count, f"Computes with {_counted(count)}: a step takes with {timings}.")


def thread_counts(most: int) -> list[int]:
    """The numbers of threads to try, the largest first: `most`, then powers of two below it."""
    powers = [2**n for n in range(11) if 2**n < most]
    return [most, *reversed(powers)]


def _counted(count: int) -> str:
    return f"{count} thread{'s' if count > 1 else ''}"
