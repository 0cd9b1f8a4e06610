"""NetworkSizes of a network that a plan is calculated from. With torch.

Weights, gradients and the optimiser's state are exact (meta device). What is kept for the backward
pass is what autograd saves (`core.insight.profiling.saved_for_backward`), from two batches: it
grows in a straight line with the batch. The backward pass needs the gradients of a block's output
and input at once: at most twice the largest output.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import torch
from torch import nn

from core.analyse import build
from core.analyse.report import Report, activation_bytes
from core.common.errors import RunError
from core.engine.param_groups import freeze
from core.insight.meta_pass import optimizer_bytes
from core.insight.profiling.saved_for_backward import kept_for_backward

FEW, MORE = 8, 16  # batches that are measured: normalisation learns from two samples at least


@dataclass(frozen=True)
class WeightSize:
    """One parameter. group: the block that is gathered as a whole when weights are sharded."""

    shape: tuple[int, ...]
    size: int
    trains: bool
    group: str

    def shard(self, world: int) -> int:
        """Bytes of the largest shard: rows of the first dimension, divided and rounded up."""
        rows = self.shape[0] if self.shape else 1
        return self.size // max(rows, 1) * -(-rows // world)


@dataclass(frozen=True)
class NetworkSizes:
    """Bytes of a network in training.

    state: of the optimiser, for all weights. kept, sample: for the backward pass, whatever the
    batch and for each sample, with the sample itself and what the loss keeps. temporary: for each
    sample, the values of the backward pass where most are alive.
    """

    weights: tuple[WeightSize, ...]
    buffers: int
    state: int
    kept: int
    sample: int
    temporary: int

    @property
    def total(self) -> int:
        """Bytes of all weights."""
        return sum(weight.size for weight in self.weights)

    @property
    def trained(self) -> int:
        """Bytes of the weights that learn, as many as their gradients have."""
        return sum(weight.size for weight in self.weights if weight.trains)

    def groups(self) -> dict[str, int]:
        """Bytes of the weights by group."""
        found: dict[str, int] = {}
        for weight in self.weights:
            found[weight.group] = found.get(weight.group, 0) + weight.size
        return found


def sizes_of(report: Report, training: Mapping[str, Any]) -> NetworkSizes:
    """The sizes of a drawn network. Raises RunError where what is kept cannot be calculated."""
    few, more = kept_for_backward(report, FEW), kept_for_backward(report, MORE)
    if few is None or more is None:
        raise RunError(
            "network",
            "The memory for the backward pass cannot be calculated without data for this network.",
            "Train it on one device and look at Train, Profile.",
        )
    with torch.device("meta"):
        module = build(report.source or "", report.class_name)
        freeze(module, {"rates": report.rates})
    each = (sum(more.values()) - sum(few.values())) / (MORE - FEW)
    ends = sum(activation_bytes(signature) for _, signature in (*report.inputs, *report.outputs))
    outputs = [o for node in report.nodes.values() for o in node.outputs.values()]
    largest = max((activation_bytes(output) for output in outputs), default=0)
    return NetworkSizes(
        weights=tuple(_weights(module, report)),
        buffers=sum(b.nbytes for b in module.buffers()),
        state=optimizer_bytes(list(module.parameters()), training),
        kept=max(0, round(sum(few.values()) - FEW * each)),
        sample=round(each) + ends,
        temporary=2 * largest,
    )


def _weights(module: nn.Module, report: Report) -> list[WeightSize]:
    composites = {path for path, node in report.nodes.items() if node.children}
    found: list[WeightSize] = []
    for name, weight in module.named_parameters():
        parts = name.split(".")
        paths = [".".join(parts[:end]) for end in range(len(parts), 0, -1)]
        group = next((path for path in paths if path in composites), "")
        found.append(WeightSize(tuple(weight.shape), weight.nbytes, weight.requires_grad, group))
    return found
