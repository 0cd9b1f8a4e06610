"""A block dropped from the palette onto a fitting wire makes a network at once."""

from itertools import pairwise
from typing import Any

import pytest
import torch

from blocks import CATALOGUE, Block, Port
from blocks.versions import has
from core import analyse, build
from core.analyse import size
from core.graph import Edge, Graph, Node
from core.graph.ports import first_port

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
    "unfold": SEQUENCE,
    "movedim": SEQUENCE,
    "roll": SEQUENCE,
    "repeat": ROW,
    "expand": (1, 64),
    "one_hot": TOKENS,
    "CrossEntropyLoss": ROW,
    "diagonal": (16, 16),
}


# Wires of blocks that go with others: shapes without the batch, by port; a Parameter where P.
P = "P"
VECTORS = {"input": (P, 6), "vec2": (P, 4)}
WIRES: dict[str, dict[str, Any]] = {
    "addmm": {"input": (P, 5), "mat1": (16,), "mat2": (P, 16, 5)},
    "linear": {"weight": (P, 10, 16)},
    "bilinear": {"input1": (16,), "input2": (6,), "weight": (P, 10, 16, 6)},
    "cross": {"input": (16, 3), "other": (16, 3)},
    "multi_dot": {"tensors": (P, 6, 6)},
    "conv1d": {"weight": (P, 8, 12, 3)},
    "conv2d": {"weight": (P, 8, 4, 3, 3)},
    "conv3d": {"weight": (P, 8, 4, 3, 3, 3)},
    "conv_transpose1d": {"weight": (P, 12, 8, 2)},
    "conv_transpose2d": {"weight": (P, 4, 8, 2, 2)},
    "conv_transpose3d": {"weight": (P, 4, 8, 2, 2, 2)},
    "rms_norm": {"input": (12, 64)},
    "prelu": {"weight": (P, 4)},
    "embedding": {"input": TOKENS, "weight": (P, 1000, 8)},
    "bucketize": {"boundaries": (P, 5)},
    "scatter": {"index": (4, 16, 16)},
    "index_add": {"index": (P, 3), "source": (3, 16, 16)},
    "index_copy": {"index": (P, 3), "source": (3, 16, 16)},
    "index_fill": {"index": (P, 3)},
    "layer_norm": {"input": (12, 64)},
    "outer": VECTORS,
    "meshgrid": {"tensors": (P, 6)},
    "baddbmm": {"input": (12, 8), "batch1": (12, 16), "batch2": (16, 8)},
    "einsum": {"operands": (16,)},
    "Fold": {"input": (16, 4)},
    "grid_sample": {"grid": (5, 5, 2)},
    "setitem": {"value": (P, 1)},
    "affine_grid": {"theta": (P, 1, 2, 3)},
    "index": {"input": (P, 6, 3), "indices": (4,)},
    "gather": {"index": (2, 16, 16)},
    "take_along_dim": {"indices": (2, 16, 16)},
    "index_select": {"index": (P, 3)},
    "MaxUnpool1d": {"input": (4, 8), "indices": (4, 8)},
    "MultiLabelMarginLoss": {"input": (10,), "target": (10,)},
    "LinearCrossEntropyLoss": {"input": (16,), "target": (10,)},
    "NLLLoss": {"input": (10,), "target": ()},
    "MultiMarginLoss": {"input": (10,), "target": ()},
    "CosineEmbeddingLoss": {"input1": (16,), "input2": (16,), "target": ()},
    "masked_fill": {"mask": (4, 16, 16)},
    "where": {"condition": (4, 16, 16)},
}
MASKS = {"mask", "condition"}
SHAPES[5] = (4, 8, 8, 8)


def shape_of(block: Block, port: Port) -> tuple[Any, ...]:
    """Sizes of the data for a port; P in front for a Parameter in the place of data."""
    mine = WIRES.get(block.name, {})
    if port.name in mine:
        return mine[port.name]
    rank = max(r for r in port.rank or (4,) if r <= max(4, min(port.rank or (4,))))
    return MEANT.get(block.name, SHAPES[rank])


def source(block: Block, port: Port) -> tuple[list[tuple[str, Node]], torch.Tensor | None]:
    """The nodes that feed one port, the last one wired to it, and the batch for the Input."""
    if port.kind == "size":
        nodes = [("image", Node("Input", {"shape": SHAPES[4]})), ("size", Node("size", {"dim": 2}))]
        return nodes, torch.rand(2, *SHAPES[4])
    shape = shape_of(block, port)
    kind = "int64" if port.dtype == "int" else "bool" if port.name in MASKS else "float32"
    if shape[:1] == (P,):
        start = {"shape": shape[1:], "init": "zeros"}
        if kind == "float32":
            return [("data", Node("Parameter", start))], None
        return [("data", Node("Buffer", {**start, "dtype": kind}))], None
    batch = torch.rand(2, *shape) if kind == "float32" else torch.zeros(2, *shape)
    node = Node("Input", {"shape": shape, "dtype": kind})
    return [("data", node)], batch.to(getattr(torch, kind))


def wired(name: str) -> tuple[Graph, list[torch.Tensor]]:
    """The smallest network around a fresh block, and a batch for it."""
    block = CATALOGUE[name]
    nodes: dict[str, Node] = {}
    edges: list[Edge] = []
    batch: list[torch.Tensor] = []
    needed = [p for p in block.inputs if not p.optional] or list(block.inputs[:1])
    for index, port in enumerate(needed):
        feeding, data = source(block, port)
        names = [f"{base}{index}" for base, _ in feeding]
        nodes |= {n: node for n, (_, node) in zip(names, feeding, strict=True)}
        edges += [Edge(a, "output", b, "input") for a, b in pairwise(names)]
        edges.append(Edge(names[-1], "output", "fresh", port.name + ".0" * port.listed))
        if name in ("einsum", "multi_dot"):
            edges.append(Edge(names[-1], "output", "fresh", f"{port.name}.1"))
        batch += [] if data is None else [data]
    nodes["fresh"] = Node(name, dict(block.start))
    end, into = "result", "input"
    if block.outputs[0].kind == "size":
        nodes |= {
            "image": Node("Input", {"shape": (3,)}),
            "taken": Node("new_zeros", {"size": (7,)}),
        }
        batch.append(torch.rand(2, 3))
        edges += [Edge("image", "output", "taken", "input"), Edge("taken", "output", end, "input")]
        end, into = "taken", "size.0"
    elif not batch:
        nodes["image"] = Node("Input", {"shape": (6,)})
        batch.append(torch.ones(2, 6))
    nodes["result"] = Node("Output")
    edges.append(Edge("fresh", first_port(block.outputs), end, into))
    if "image" in nodes and end == "result":
        nodes["seen"] = Node("Output")
        edges.append(Edge("image", "output", "seen", "input"))
    return Graph(nodes, tuple(edges)), batch


def depends_on_data(block: Block) -> bool:
    """Whether its sizes are known only when data runs through; test_boxes has these. The samples
    of test_module_db have what wants its batch elsewhere."""
    elsewhere = block.name in ("roi_align", "index_put", "CTCLoss")
    newer = not has(block, torch.__version__)
    return any(port.unknown for port in block.outputs) or elsewhere or newer


@pytest.mark.gate
@pytest.mark.parametrize(
    "name",
    [b.name for b in CATALOGUE.values() if b.family != "ends" and not depends_on_data(b)],
)
def test_a_fresh_block_compiles_and_runs(name: str):
    graph, batch = wired(name)
    report = analyse(graph)
    assert [f.message for f in report.errors] == []
    assert report.source is not None
    module: Any = build(report.source)
    found = module(*batch)
    found = found[0] if isinstance(found, tuple) else found
    promised = dict(report.outputs)["result"]
    assert tuple(found.shape) == size(promised, 2)
    assert str(found.dtype) == f"torch.{promised.dtype}"
