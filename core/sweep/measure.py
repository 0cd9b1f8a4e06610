"""Costs of a trial that need torch: bytes of the weights, and the latency of one sample."""

import time
from pathlib import Path
from statistics import median

import torch

from core.analyse import build
from core.analyse.report import Report
from core.export.subject import subject_of

LEAST, MOST_TIMES, LONGEST_S = 3, 50, 0.5


def weight_bytes(report: Report) -> int:
    """Bytes of all parameters and buffers, each once. Raises ValueError where it has errors."""
    if report.source is None:
        raise ValueError("the bytes of the weights need a network without errors")
    with torch.device("meta"):
        module = build(report.source, report.class_name)
    return sum(value.nbytes for value in (*module.parameters(), *module.buffers()))


def latency_ms(run_dir: Path) -> float:
    """Milliseconds of one sample on one thread of this machine's processor.

    The median of up to 50 times. Raises RunError where the run cannot be opened.
    """
    subject = subject_of(run_dir)
    inputs, threads = subject.sample(1), torch.get_num_threads()
    torch.set_num_threads(1)
    times: list[float] = []
    try:
        with torch.no_grad():
            subject.module(*inputs)  # the first call prepares what later ones use
            end = time.perf_counter() + LONGEST_S
            while len(times) < LEAST or (len(times) < MOST_TIMES and time.perf_counter() < end):
                began = time.perf_counter()
                subject.module(*inputs)
                times.append(time.perf_counter() - began)
    finally:
        torch.set_num_threads(threads)
    return median(times) * 1e3
