"""What a file is worth beside the eager network: its metric on validation samples, and its time."""

import time
from collections.abc import Callable, Sequence
from statistics import median
from typing import Any

import torch
from torch import Tensor

from core.engine.objective import Objective
from core.export.parity import Inputs, seeded, tensors
from core.export.result import Quality
from core.export.subject import Subject
from core.insight.load_model import data_of
from core.insight.remembered import objective_for

MOST, BATCH = 2000, 64
LATENCY_BATCHES, TIMES, LONGEST_S = (1, 64), 7, 0.3
Run = Callable[..., Any]
"""A network as a function of its inputs."""


def quality(subject: Subject, run: Run) -> Quality:
    """Measure a file that `run` executes. Random inputs give its time where there is no data."""
    latency = _latency(subject, run)
    dataset = data_of(subject.opened) if subject.opened else None
    if dataset is None or subject.opened is None:
        return Quality("", 0.0, 0.0, None, 0, latency)
    judged = objective_for(subject.opened.project, dataset)
    if not any(term.measure for term in judged.terms):
        return Quality("", 0.0, 0.0, None, 0, latency)
    rows = dataset.all_validation()
    inputs, targets = (tuple(column[:MOST] for column in part) for part in rows)
    name, eager, classes = _metric(judged, subject.module, inputs, targets)
    _, file, others = _metric(judged, run, inputs, targets)
    changed = None if classes is None or others is None else _share(classes, others)
    return Quality(name, eager, file, changed, len(inputs[0]), latency)


def _metric(
    objective: Objective, run: Run, inputs: Inputs, targets: Inputs
) -> tuple[str, float, Tensor | None]:
    """Name and value of the first metric, and the class of each sample where it has one."""
    sums, classes, count = [0.0] * objective.width, list[Tensor](), 0
    with torch.no_grad():
        for start in range(0, len(inputs[0]), BATCH):
            outputs = _outputs(run, [x[start : start + BATCH] for x in inputs])
            wanted = [y[start : start + BATCH] for y in targets]
            added = objective.sums(outputs, wanted)
            sums = [a + b for a, b in zip(sums, [*added, *[0.0] * len(sums)], strict=False)]
            count += len(outputs[0])
            main = objective.main
            if main.measure and main.measure.kind in ("classes", "yes_no"):
                classes.append(main.measure.predicted(outputs[main.outputs[0]]).flatten())
    name, value = next(iter(objective.metrics("val", sums, count).items()))
    return name, value, torch.cat(classes) if classes else None


def _outputs(run: Run, inputs: Sequence[Tensor]) -> list[Tensor]:
    return [value.float() for value in tensors(seeded(run, tuple(inputs)))]


def _share(before: Tensor, after: Tensor) -> float:
    return float((before != after).double().mean())


def _latency(subject: Subject, run: Run) -> dict[int, tuple[float, float]]:
    """Milliseconds of a batch, eager and file in turns, so that a busy machine slows both."""
    found: dict[int, tuple[float, float]] = {}
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        for batch in LATENCY_BATCHES:
            inputs, taken = subject.sample(batch), ([], [])
            began = time.perf_counter()
            while len(taken[0]) < TIMES and time.perf_counter() - began < LONGEST_S:
                for times, call in zip(taken, (subject.module, run), strict=True):
                    times.append(_seconds(call, inputs))
            found[batch] = (median(taken[0]) * 1e3, median(taken[1]) * 1e3)
    finally:
        torch.set_num_threads(threads)
    return found


def _seconds(call: Run, inputs: Inputs) -> float:
    with torch.no_grad():
        began = time.perf_counter()
        call(*inputs)
        return time.perf_counter() - began
