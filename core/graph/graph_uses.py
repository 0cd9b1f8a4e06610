"""Nodes of own Python in a drawing, inside of composites, too."""

from collections.abc import Iterator

from core.graph.model import Graph, Node
from core.graph.ports import resolve


def python_uses(graph: Graph) -> Iterator[tuple[str, Node, str]]:
    """The path, the node and the text of each, in the order of the drawing; composites are gone
    through use by use."""
    yield from _inside(graph, graph, "")


def _inside(whole: Graph, graph: Graph, prefix: str) -> Iterator[tuple[str, Node, str]]:
    for name in graph.nodes:
        node = resolve(graph.nodes[name], graph.nodes)
        part = whole.composites.get(node.block)
        if part is None or graph.is_unused(name):
            continue
        path = f"{prefix}{name}"
        if part.python:
            yield path, node, part.python
        else:
            yield from _inside(whole, part.graph, f"{path}.0." if node.repeat > 1 else f"{path}.")
