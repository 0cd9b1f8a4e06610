"""Quality of a file next to the eager network: its metric on validation samples, and its time."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from statistics import median
from typing import Any

import torch
from torch import Tensor

from core.engine.objective import Objective
from core.export.parity import Inputs, run_seeded, tensors
from core.export.result import Quality
from core.export.sent_files import Sent, sent_inputs
from core.export.subject import Subject
from core.insight.load_model import data_of
from core.insight.network_cache import objective_for

MOST, BATCH = 2000, 64
LATENCY_BATCHES, LEAST, MOST_TIMES, LONGEST_S = (1, 64), 3, 50, 0.5
PATIENCE_S = 10.0
"""Batches that take longer are left out: one sample is enough for a large network."""
Run = Callable[..., Any]
"""A network as a function of its inputs."""


def quality(subject: Subject, run: Run, as_files: bool = False) -> Quality:
    """Measure a file that `run` executes. Random inputs give its time where there is no data.

    as_files: by samples as people send them, where the data are files. Raises ExportError where
    one of these is read otherwise than in training.
    """
    latency, judged = _latency(subject, run), judge_of(subject)
    if judged is None:
        return Quality("", 0.0, 0.0, None, 0, latency)
    sent = sent_inputs(subject, MOST) if as_files else Sent()
    if sent.inputs is not None:
        judged = judged.first(len(sent.inputs))
    name, eager, classes = judged.metric(subject.module)
    received = judged if sent.inputs is None else replace(judged, inputs=(sent.inputs,))
    _, file, others = received.metric(run)
    count, changed = len(judged.inputs[0]), share_changed(classes, others)
    is_sent = sent.inputs is not None
    return Quality(name, eager, file, changed, count, latency, is_sent, sent.refused)


@dataclass(frozen=True, eq=False)
class Judge:
    """The objective of a network with its validation samples, at most MOST of them."""

    objective: Objective
    inputs: Inputs
    targets: Inputs

    def metric(self, run: Run) -> tuple[str, float, Tensor | None]:
        """Name and value of the first metric, and the class of each sample where it has one."""
        return _metric(self.objective, run, self.inputs, self.targets)

    def first(self, count: int) -> "Judge":
        """By the first samples alone."""
        inputs, targets = (tuple(c[:count] for c in part) for part in (self.inputs, self.targets))
        return Judge(self.objective, inputs, targets)


def judge_of(subject: Subject) -> Judge | None:
    """What a network is measured by; None without data, or where its task has no metric."""
    dataset = data_of(subject.opened) if subject.opened else None
    if dataset is None or subject.opened is None:
        return None
    objective = objective_for(subject.opened.project, dataset)
    if not any(term.measure for term in objective.terms):
        return None
    rows = dataset.all_validation()
    inputs, targets = (tuple(column[:MOST] for column in part) for part in rows)
    return Judge(objective, inputs, targets)


def _metric(
    objective: Objective, run: Run, inputs: Inputs, targets: Inputs
) -> tuple[str, float, Tensor | None]:
    sums, classes, count = [0.0] * objective.width, list[Tensor](), 0
    with torch.no_grad():
        for start in range(0, len(inputs[0]), BATCH):
            outputs = _outputs(run, [x[start : start + BATCH] for x in inputs])
            wanted = [y[start : start + BATCH] for y in targets]
            added = objective.sums(outputs, wanted)
            sums = [a + b for a, b in zip(sums, [*added, *[0.0] * len(sums)], strict=False)]
            count += len(outputs[0])
            main = objective.main
            if main.measure and main.measure.declared.one_class:
                classes.append(main.measure.predicted(outputs[main.outputs[0]]).flatten())
    name, value = next(iter(objective.metrics("val", sums, count).items()))
    return name, value, torch.cat(classes) if classes else None


def _outputs(run: Run, inputs: Sequence[Tensor]) -> list[Tensor]:
    return [value.float() for value in tensors(run_seeded(run, tuple(inputs)))]


def share_changed(before: Tensor | None, after: Tensor | None) -> float | None:
    """The share of samples with another class; None without classes."""
    if before is None or after is None:
        return None
    return float((before != after).double().mean())


def _latency(subject: Subject, run: Run) -> dict[int, tuple[float, float]]:
    """Milliseconds of a batch, eager and file in turns, so that a busy machine slows both.

    Medians of up to 50 turns, for a pause of the machine is longer than a small network's answer.
    """
    found: dict[int, tuple[float, float]] = {}
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        for batch in LATENCY_BATCHES:
            inputs, taken = subject.sample(batch), ([], [])
            if not found:
                for call in (subject.module, run):
                    _seconds(call, inputs)  # the first answer prepares what later ones use
            elif found[1][0] / 1e3 * batch > PATIENCE_S:
                continue
            end = time.perf_counter() + LONGEST_S
            while len(taken[0]) < LEAST or (
                len(taken[0]) < MOST_TIMES and time.perf_counter() < end
            ):
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
