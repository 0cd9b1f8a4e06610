"""What stands before an Output, past blocks that change no values."""

from blocks import has
from core.graph.model import Graph

UNCHANGED = ("reshapes", "dropout", "identity")
"""Traits of blocks that change no values."""


def before(graph: Graph, node: str) -> str:
    """The node behind the first input, past blocks that change no values; "" if there is none."""
    wires, seen = graph.into(node), {node}
    while wires and has(graph.nodes[wires[0].source].block, *UNCHANGED):
        if wires[0].source in seen:  # a drawing with a circle is not checked yet
            return ""
        seen.add(wires[0].source)
        wires = graph.into(wires[0].source)
    return wires[0].source if wires else ""


def ending(graph: Graph) -> str:
    """The node that makes the first output, "" where none does."""
    output = next(iter(graph.of_block("Output")), "")
    return before(graph, output) if output else ""
