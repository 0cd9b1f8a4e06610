"""Sensitivity of each block to 8-bit weights and to pruning: one block is changed at a time."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import torch
from torch import Tensor, nn

from core.export.quality import Judge, judge_of, share_changed
from core.export.subject import Subject, subject_of
from core.runs.files import write_json
from core.wings.shrink import files
from core.wings.shrink.block_sensitivity import BlockSensitivity, Sensitivity
from core.wings.shrink.files import ShrinkProgress
from core.wings.shrink.run import hold_lock, stamp
from core.wings.shrink.way import ShrinkError

HALF = 0.5


def sensitivity(run: Path) -> Sensitivity:
    """Measure each block of a run's network with weights, and store the results beside the tries.

    Raises ShrinkError without data to measure by, ExportError and RunError as loading the run does.
    """
    subject, weights = subject_of(run), stamp(run)
    judge = judge_of(subject)
    if judge is None:
        raise ShrinkError(
            "Blocks cannot be compared without a metric: there is no data here, or no target.",
            "Choose a run whose data is on this machine.",
        )
    with hold_lock(run):
        found = _measured(run, subject, judge, weights)
        write_json(files.folder_of(run) / files.SENSITIVITY, found.json())
    return found


def _measured(run: Path, subject: Subject, judge: Judge, weights: str) -> Sensitivity:
    metric, before, classes = judge.metric(subject.module)
    chosen, found = dict(_blocks(subject)), list[BlockSensitivity]()
    for at, (path, (block, parts)) in enumerate(chosen.items(), 1):
        files.write_progress(
            run, ShrinkProgress(path, at, len(chosen), "in 8 bits, then half pruned")
        )
        with _in_8_bits(parts):
            _, int8, other = judge.metric(subject.module)
        with _pruned(parts):
            _, half, another = judge.metric(subject.module)
        count = sum(weight.numel() for weight in _weights(parts))
        changed = (share_changed(classes, each) for each in (other, another))
        found.append(BlockSensitivity(path, block, count, int8, half, *changed))
    return Sensitivity(metric, before, len(judge.inputs[0]), tuple(found), weights)


def _blocks(subject: Subject) -> Iterator[tuple[str, tuple[str, list[nn.Module]]]]:
    """Each innermost block with matrices or kernels of its own, by path: its modules."""
    if subject.opened is None:
        return
    nodes = subject.opened.report.nodes
    outer = {path.rpartition(".")[0] for path in nodes}
    named = dict(subject.module.named_modules())
    for path, node in nodes.items():
        parts = list(named[path].modules()) if path in named and path not in outer else []
        if any(True for _ in _weights(parts)):
            yield path, (node.block, parts)


def _weights(parts: list[nn.Module]) -> Iterator[nn.Parameter]:
    for part in parts:
        yield from (p for p in part.parameters(recurse=False) if p.dim() > 1)


@contextmanager
def _in_8_bits(parts: list[nn.Module]) -> Iterator[None]:
    """Round weights and outputs of modules to 256 steps, as an 8-bit file would."""
    leaves = [part for part in parts if next(_weights([part]), None) is not None]
    hooks = [part.register_forward_hook(_round_output) for part in leaves]
    try:
        with _changed(parts, _rounded):
            yield
    finally:
        for hook in hooks:
            hook.remove()


def _round_output(part: nn.Module, given: object, value: object) -> object:
    return _rounded(value) if isinstance(value, Tensor) and value.is_floating_point() else value


def _rounded(value: Tensor) -> Tensor:
    """The nearest of 256 steps between the ends of all values."""
    low, high = float(value.min().clamp(max=0)), float(value.max().clamp(min=0))
    scale = max((high - low) / 255, 1e-12)
    zero = min(255, max(0, round(-low / scale)))
    return torch.fake_quantize_per_tensor_affine(value, scale, zero, 0, 255)


@contextmanager
def _pruned(parts: list[nn.Module]) -> Iterator[None]:
    """Set the smaller half of each weight to 0."""
    with _changed(parts, _without_half):
        yield


def _without_half(value: Tensor) -> Tensor:
    count = int(HALF * value.numel())
    gone = value.abs().flatten().topk(count, largest=False).indices
    return value.flatten().index_fill(0, gone, 0).view_as(value)


@contextmanager
def _changed(parts: list[nn.Module], change: Callable[[Tensor], Tensor]) -> Iterator[None]:
    """Put other numbers into weights for a while."""
    weights = list(_weights(parts))
    before = [weight.detach().clone() for weight in weights]
    with torch.no_grad():
        for weight in weights:
            weight.copy_(change(weight.detach()))
        try:
            yield
        finally:
            for weight, value in zip(weights, before, strict=True):
                weight.copy_(value)
