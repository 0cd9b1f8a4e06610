"""Draw graphs for tests in a few words."""

from collections.abc import Iterable, Mapping
from itertools import pairwise
from typing import Any

from core.graph import Composite, Graph, Node
from core.graph.edits import sort_edges
from core.graph.ports import parse_edge


def draw(
    nodes: Mapping[str, Any],
    edges: Iterable[str],
    composites: Mapping[str, Composite] | None = None,
) -> Graph:
    """Make a graph from {"conv1": ("Conv2d", {"out_channels": 6}), ...} and ["image -> conv1"].

    A third entry gives further fields of the node, such as {"repeat": 3}.
    """
    made: dict[str, Node] = {}
    for name, entry in nodes.items():
        block, settings, more = (*((entry,) if isinstance(entry, str) else entry), {}, {})[:3]
        made[name] = Node(block, settings, **more)
    graph = Graph(made, (), composites or {})
    wires = [parse_edge(text, made, graph.composites) for text in edges]
    return Graph(made, sort_edges(graph, wires), graph.composites)


def chain(*nodes: tuple[str, Any], composites: Mapping[str, Composite] | None = None) -> Graph:
    """Make a graph in which each node feeds the next."""
    names = [name for name, _ in nodes]
    edges = [f"{a} -> {b}" for a, b in pairwise(names)]
    return draw(dict(nodes), edges, composites)


IMAGE = ("image", ("Input", {"shape": (1, 28, 28)}))
END = ("logits", "Output")

RESIDUAL = Composite(
    {"channels": 16},
    draw(
        {
            "inp": "Input",
            "conv1": ("Conv2d", {"out_channels": "=channels", "kernel_size": 3, "padding": 1}),
            "relu1": "ReLU",
            "conv2": ("Conv2d", {"out_channels": "=channels", "kernel_size": 3, "padding": 1}),
            "skip": ("Conv2d", {"out_channels": "=channels", "kernel_size": 1}),
            "join": "add",
            "out": "Output",
        },
        [
            "inp -> conv1",
            "conv1 -> relu1",
            "relu1 -> conv2",
            "inp -> skip",
            "conv2 -> join.input",
            "skip -> join.other",
            "join -> out",
        ],
    ),
)
