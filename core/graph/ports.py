"""Ports of a node, from its block or composite, and edges as text."""

import re
from collections.abc import Mapping
from functools import lru_cache

from blocks import CATALOGUE, Block, Port
from core.graph.model import Composite, Edge, GraphError, Node
from core.graph.python import own_block

EDGE = re.compile(
    r"\A(?P<source>\w+)(?:\.(?P<out>\w+(?:\.\d+)?))?"
    r" -> "
    r"(?P<target>\w+)(?:\.(?P<into>\w+(?:\.\d+)?))?\Z",
    re.ASCII,
)

Composites = Mapping[str, Composite]


def resolve(node: Node, nodes: Mapping[str, Node]) -> Node:
    """Follow `weights_of` to the node that names the block."""
    if node.block:
        return node
    seen: set[str] = set()
    while node.weights_of in nodes and not node.block and node.weights_of not in seen:
        seen.add(node.weights_of)
        node = nodes[node.weights_of]
    return node


def input_ports(node: Node, composites: Composites) -> tuple[Port, ...]:
    """Input ports of a node; () for a block this version does not know."""
    if own := own_block(node.block, composites):
        return own.inputs
    if node.block in composites:
        inner = composites[node.block].graph
        return tuple(Port(name) for name in inner.of_block("Input"))
    return CATALOGUE[node.block].inputs if node.block in CATALOGUE else ()


def output_ports(node: Node, composites: Composites) -> tuple[Port, ...]:
    """Output ports of a node; () for a block this version does not know."""
    if own := own_block(node.block, composites):
        return own.outputs
    if node.block in composites:
        inner = composites[node.block].graph
        return tuple(Port(name) for name in inner.of_block("Output"))
    return CATALOGUE[node.block].outputs if node.block in CATALOGUE else ()


def block_of(name: str, composites: Composites) -> Block | None:
    """The declaration behind a name: a project's own Python, else the catalogue's block.

    None for a drawn composite, and for a block this version does not know.
    """
    if name in composites:
        return own_block(name, composites)
    return CATALOGUE.get(name)


def known(block: str, composites: Composites) -> bool:
    """Whether the ports of a block are known."""
    return block in composites or block in CATALOGUE


def first_port(ports: tuple[Port, ...]) -> str:
    """Name a wire's end gets when the port is left out."""
    if not ports:
        return ""
    return f"{ports[0].name}.0" if ports[0].listed else ports[0].name


def has_port(ports: tuple[Port, ...], name: str) -> bool:
    """Whether `name` is one of the ports; `tensors.2` is one of a list port `tensors`."""
    head, _, index = name.partition(".")
    return any(p.name == head and bool(index) == p.listed for p in ports)


def parse_edge(text: str, nodes: Mapping[str, Node], composites: Composites) -> Edge:
    """Read `source[.port] -> target[.port]`. Raises GraphError if it is not of that form."""
    match = EDGE.match(text)
    if not match:
        raise GraphError(
            repr(text[:80]),
            "is not a wire.",
            'Write it as "source -> target" or "a.port -> b.port".',
        )
    source, target = match["source"], match["target"]
    out, into = match["out"] or "", match["into"] or ""
    if not out and source in nodes:
        out = first_port(output_ports(nodes[source], composites))
    if not into and target in nodes:
        into = first_port(input_ports(nodes[target], composites))
    return Edge(source, out, target, into)


def write_edge(edge: Edge, nodes: Mapping[str, Node], composites: Composites) -> str:
    """Write a wire; ports that are first (source) or only (target) are left out."""
    left, right = edge.source, edge.target
    source, target = nodes.get(left), nodes.get(right)
    if edge.source_port != (_short_ends(source, composites)[0] if source else ""):
        left += f".{edge.source_port}" if edge.source_port else ""
    if edge.target_port != (_short_ends(target, composites)[1] if target else ""):
        right += f".{edge.target_port}" if edge.target_port else ""
    return f"{left} -> {right}"


def _short_ends(node: Node, composites: Composites) -> tuple[str, str]:
    """Name the output and the input that a wire need not name: "" where it must."""
    if node.block not in composites:
        return _short_ends_of(node.block)
    return _short(output_ports(node, composites), input_ports(node, composites))


@lru_cache(1024)
def _short_ends_of(block: str) -> tuple[str, str]:
    node = Node(block)
    return _short(output_ports(node, {}), input_ports(node, {}))


def _short(outs: tuple[Port, ...], ins: tuple[Port, ...]) -> tuple[str, str]:
    tensors = [port for port in ins if port.kind not in ("size", "sizes")] or ins
    only = len(tensors) == 1 and not tensors[0].listed
    return first_port(outs), tensors[0].name if only else ""
