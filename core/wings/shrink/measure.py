"""Metric, time and memory of a smaller network, next to the original's."""

import resource
import sys
from collections.abc import Callable, Mapping
from concurrent.futures.process import BrokenProcessPool
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch
from torch import nn

from core.export.parity import compare
from core.export.quality import quality
from core.export.result import ExportError
from core.export.subject import Subject, subject_of
from core.wings.shrink.rows import Row
from core.worker import child_process

PEAK_S = 120.0
BATCH = 64


def measure_row(row: Row, subject: Subject, run: Callable[..., Any], compared: bool) -> Row:
    """The row with its metric, times and difference, measured in this process."""
    found = quality(subject, run)
    times = found.latency_ms.items()
    return replace(
        row,
        metric=found.metric,
        value=found.file if found.metric else None,
        before=found.eager if found.metric else None,
        samples=found.samples,
        changed=found.changed,
        latency_ms={str(batch): file for batch, (_, file) in times},
        beside_ms={str(batch): eager for batch, (eager, _) in times},
        difference=_difference(subject, run) if compared else None,
    )


def _difference(subject: Subject, run: Callable[..., Any]) -> float | None:
    try:
        return compare(subject.module, run, subject.sample)
    except ExportError:  # other shapes: the row reports them
        return None


def measure_peak_memory(run: Path, file: Path) -> int | None:
    """Bytes that a fresh process grows by as it loads a file and predicts 64 samples.

    run: the run folder, whose samples they are. The process shows, too, that the file is enough.
    None if it cannot be measured.
    """
    run, file = run.absolute(), file.absolute()
    with child_process.pool(preload=["core.wings.shrink.measure", "onnxruntime"]) as pool:
        try:
            return pool.submit(memory_growth, run, file).result(PEAK_S)
        except (BrokenProcessPool, TimeoutError):
            return None


def memory_growth(run: Path, file: Path) -> int | None:
    """Bytes that this process grows by as it loads a file and predicts a batch."""
    torch.set_num_threads(1)
    subject = subject_of(run)
    inputs = subject.sample(BATCH)
    with torch.no_grad():
        nn.Linear(8, 8)(torch.randn(8, 8))
    before = _most()
    call = load(file, subject)
    with torch.no_grad():
        call(*inputs)
    return max(0, _most() - before)


def _most() -> int:
    """The most memory this process ever had, in bytes."""
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most if sys.platform == "darwin" else most * 1024


def load(file: Path, subject: Subject) -> Callable[..., Any]:
    """The network in the file of a try, as a function of its inputs.

    A drawing is loaded with the weights beside it. subject: the network that it was made from.
    """
    if file.suffix == ".onnx":
        from core.export.onnx import session

        return session(file.read_bytes())
    if file.suffix == ".pt2":
        import torchao.quantization.pt2e.quantize_pt2e  # operators of the file

        return torch.export.load(file).module()
    if file.suffix == ".pt":
        import torchao.quantization  # noqa: F401  # the kinds of tensor that the file holds

        subject.module.load_state_dict(torch.load(file, weights_only=True), assign=True)
        return subject.module
    from core import open_project
    from core.insight.load_model import open_imported

    weights = file.with_name(file.name.removesuffix(".loom.json") + ".safetensors")
    return open_imported(open_project(file), weights).module


def describe(times: Mapping[str, float]) -> str:
    """Times for people: "0.05 ms each, 1.2 ms for 64"."""
    parts = [f"{ms:.2g} ms" + ("" if n == "1" else f" for {n}") for n, ms in times.items()]
    return ", ".join(parts)
