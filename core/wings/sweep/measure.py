"""Costs of a trial that need torch: bytes of the weights, and the latency of one sample.

Latency is measured while other trials may train beside it. So it is the time that the processor
spends on the one thread of the forward pass, without the time for which others had it.
"""

import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

import torch

from core.analyse import build
from core.analyse.report import Report
from core.export.subject import subject_of

LEAST, MOST_TIMES, LONGEST_S = 3, 50, 0.5
WARM_UP, WARM_UP_S = 10, 0.1
"""Forward passes before the first that counts, at most; and no more of them after these seconds."""
FINE_S = 1e-6
"""A clock of a thread with coarser ticks is not used, as on Windows."""


def weight_bytes(report: Report) -> int:
    """Bytes of all parameters and buffers, each once. Raises ValueError where it has errors."""
    if report.source is None:
        raise ValueError("the bytes of the weights need a network without errors")
    with torch.device("meta"):
        module = build(report.source, report.class_name)
    return sum(value.nbytes for value in (*module.parameters(), *module.buffers()))


def latency_ms(run_dir: Path) -> float:
    """Milliseconds of one sample on one thread of this machine's processor.

    The median of up to 50 forward passes after a warm-up, with two digits: measured again, a
    network differs by some per cent. Raises RunError where the run cannot be opened.
    """
    subject = subject_of(run_dir)
    inputs, threads = subject.sample(1), torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        with torch.no_grad():
            timed(lambda: subject.module(*inputs), 1, WARM_UP, WARM_UP_S)
            times = timed(lambda: subject.module(*inputs), LEAST, MOST_TIMES, LONGEST_S)
    finally:
        torch.set_num_threads(threads)
    return float(f"{median(times) * 1e3:.2g}")


def timed(call: Callable[[], object], least: int, most: int, longest_s: float) -> list[float]:
    """Seconds of each of several calls in this thread: at least and at most so many."""
    clock, times = thread_clock(), list[float]()
    end = time.perf_counter() + longest_s
    while len(times) < least or (len(times) < most and time.perf_counter() < end):
        began = clock()
        call()
        times.append(clock() - began)
    return times


def thread_clock() -> Callable[[], float]:
    """The clock that runs while this thread computes; any clock where that one is too coarse."""
    fine = time.get_clock_info("thread_time").resolution <= FINE_S
    return time.thread_time if fine else time.perf_counter
