"""Whether two drawings are the same network, whatever their names, labels and places."""

from collections.abc import Mapping
from typing import Any

from blocks import CATALOGUE
from core.graph.model import Graph, Node
from core.graph.ports import resolve


def same_network(first: Graph, second: Graph) -> bool:
    """Whether both compute the same with the same weights: blocks, their ids and order, settings
    and wires.

    A setting at its default may be left out; labels, learning rates of blocks and which are frozen
    change no result.
    """
    return _drawn(first, first) == _drawn(second, second)


def _drawn(whole: Graph, graph: Graph) -> dict[str, Any]:
    """What a graph computes, as values to compare."""
    nodes = [(name, _node(node, graph.nodes)) for name, node in graph.nodes.items()]
    wires = {(e.source, e.source_port, e.target, e.target_port) for e in graph.edges}
    used = {node.block for node in graph.nodes.values()} & set(whole.composites)
    parts = {
        name: (
            whole.composites[name].python,
            dict(whole.composites[name].settings),
            _drawn(whole, whole.composites[name].graph),
        )
        for name in used
    }
    return {"nodes": nodes, "wires": wires, "parts": parts}


def _node(node: Node, nodes: Mapping[str, Node]) -> tuple[Any, ...]:
    block = CATALOGUE.get(resolve(node, nodes).block)
    defaults = block.defaults if block else {}
    settings = {
        key: value
        for key, value in node.settings.items()
        if key not in defaults or defaults[key] != value
    }
    return node.block, settings, node.repeat, node.weights_of, node.unused
