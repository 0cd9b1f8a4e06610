"""Outputs of blocks for many samples, as rows of numbers."""

from collections.abc import Mapping, Sequence

import numpy as np
import torch
from torch import Tensor, nn

from blocks import has
from core.analyse.report import Report
from core.insight.features import capture, first
from core.tasks.tensor_values import split

BATCH, MOST_VALUES, MOST_BLOCKS, SEED = 64, 16_384, 24, 0
ROOM_BYTES = 512 * 2**20
LEAST_SAMPLES, MOST_SAMPLES = 50, 2000


def chosen_blocks(report: Report, most: int = MOST_BLOCKS) -> list[str]:
    """Blocks of the drawing itself that output floats, in order; of many, evenly spread ones."""
    names = [
        path
        for path, node in report.nodes.items()
        if node.depth == 1 and not has(node.block, "end", "stored") and _floats(report, path)
    ]
    if len(names) <= most:
        return names
    return [names[k] for k in np.linspace(0, len(names) - 1, most).round().astype(int)]


def _floats(report: Report, path: str) -> bool:
    outputs = list(report.nodes[path].outputs.values())
    return bool(outputs) and outputs[0].dtype.startswith(("float", "bfloat"))


def rows_that_fit(report: Report, nodes: Sequence[str], most: int = MOST_SAMPLES) -> int:
    """How many samples there is room for."""
    values = sum(min(report.nodes[n].activation_bytes // 4, MOST_VALUES) for n in nodes)
    return max(LEAST_SAMPLES, min(most, ROOM_BYTES // (4 * max(values, 1))))


def codes(
    module: nn.Module, report: Report, inputs: Sequence[Tensor], nodes: Sequence[str]
) -> Mapping[str, Tensor]:
    """The first output of each node for samples (S, ...), flattened: (S, F) by path.

    Of a node with more than MOST_VALUES values that many are kept, the same ones for all samples,
    drawn by chance. Nodes whose first dimension is not the samples' are left out.
    """
    found: dict[str, list[Tensor]] = {}
    for part in zip(*(split(column, BATCH) for column in inputs), strict=True):
        values = capture(module, report, part, list(nodes)).values
        for node in nodes:
            value = first(values[node], node) if node in values else None
            if value is not None and value.ndim > 1 and len(value) == len(part[0]):
                found.setdefault(node, []).append(_some(value.flatten(1).float()))
    whole = {node: torch.cat(parts) for node, parts in found.items()}
    return {node: rows for node, rows in whole.items() if len(rows) == len(inputs[0])}


def _some(rows: Tensor) -> Tensor:
    if rows.shape[1] <= MOST_VALUES:
        return rows
    generator = torch.Generator().manual_seed(SEED)
    return rows[:, torch.randperm(rows.shape[1], generator=generator)[:MOST_VALUES]]
