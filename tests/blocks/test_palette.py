"""A block dropped from the palette onto a fitting wire makes a network at once."""

from typing import Any

import pytest
import torch

from blocks import CATALOGUE
from core import analyse, build
from core.graph import Edge, Graph, Node

IMAGE, ROW, SEQUENCE, TOKENS = (4, 16, 16), (784,), (12, 16), (20,)
SHAPES: dict[int, tuple[int, ...]] = {2: ROW, 3: SEQUENCE, 4: IMAGE}
# Blocks that say nothing about the number of dimensions but mean one in their fresh settings.
MEANT = {
    "permute": SEQUENCE,
    "transpose": SEQUENCE,
    "select": SEQUENCE,
    "normalize": ROW,
    "reshape": (1, 28, 28),
    "squeeze": (1, 16),
    "unflatten": ROW,
    "Unflatten": ROW,
    "unsqueeze": SEQUENCE,
    "Softmax": ROW,
    "LogSoftmax": ROW,
    "GLU": ROW,
    "Linear": ROW,
    "Bilinear": ROW,
    "LayerNorm": SEQUENCE,
    "RMSNorm": SEQUENCE,
    "narrow": SEQUENCE,
    "matmul": (16, 16),
    "bmm": (16, 16),
    "Embedding": TOKENS,
}


def wired(name: str) -> tuple[Graph, list[torch.Tensor]]:
    """The smallest network around a fresh block, and a batch for it."""
    block = CATALOGUE[name]
    nodes: dict[str, Node] = {}
    edges: list[Edge] = []
    batch: list[torch.Tensor] = []
    for index, port in enumerate(p for p in block.inputs if not p.optional):
        rank = max(r for r in port.rank or (4,) if r <= 4)
        shape = MEANT.get(name, SHAPES[rank])
        dtype = "int64" if port.dtype == "int" else "float32"
        nodes[f"data{index}"] = Node("Input", {"shape": shape, "dtype": dtype})
        target = f"{port.name}.0" if port.kind == "tensors" else port.name
        edges.append(Edge(f"data{index}", "output", "fresh", target))
        zeros = torch.zeros((2, *shape), dtype=torch.int64)
        batch.append(zeros if dtype == "int64" else torch.rand(2, *shape))
    nodes["fresh"] = Node(name, dict(block.start))
    nodes["result"] = Node("Output")
    edges.append(Edge("fresh", block.outputs[0].name, "result", "input"))
    return Graph(nodes, tuple(edges)), batch


@pytest.mark.parametrize("name", [b.name for b in CATALOGUE.values() if b.family != "ends"])
def test_a_fresh_block_compiles_and_runs(name: str):
    graph, batch = wired(name)
    report = analyse(graph)
    assert [f.message for f in report.errors] == []
    assert report.source is not None
    module: Any = build(report.source)
    found = module(*batch)
    assert found.shape[0] == 2
    promised = report.nodes["fresh"].outputs[CATALOGUE[name].outputs[0].name]
    assert tuple(found.shape[1:]) == promised.shape[1:]
    assert str(found.dtype) == f"torch.{promised.dtype}"
