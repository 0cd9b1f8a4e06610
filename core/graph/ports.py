"""Ports of a node, from its block or composite, and the written form of a wire."""

import re
from collections.abc import Mapping

from blocks import CATALOGUE, Port
from core.graph.model import Composite, Edge, GraphError, Node

EDGE = re.compile(
    r"\A(?P<source>\w+)(?:\.(?P<out>\w+(?:\.\d+)?))?"
    r" -> "
    r"(?P<target>\w+)(?:\.(?P<into>\w+(?:\.\d+)?))?\Z",
    re.ASCII,
)

Composites = Mapping[str, Composite]


def resolve(node: Node, nodes: Mapping[str, Node]) -> Node:
    """Follow `weights_of` to the node that says which block this is."""
    seen: set[str] = set()
    while node.weights_of in nodes and not node.block and node.weights_of not in seen:
        seen.add(node.weights_of)
        node = nodes[node.weights_of]
    return node


def input_ports(node: Node, composites: Composites) -> tuple[Port, ...]:
    """Input ports of a node; () for a block this version does not know."""
    if node.block in composites:
        inner = composites[node.block].graph
        return tuple(Port(name) for name in inner.of_block("Input"))
    return CATALOGUE[node.block].inputs if node.block in CATALOGUE else ()


def output_ports(node: Node, composites: Composites) -> tuple[Port, ...]:
    """Output ports of a node; () for a block this version does not know."""
    if node.block in composites:
        inner = composites[node.block].graph
        return tuple(Port(name) for name in inner.of_block("Output"))
    return CATALOGUE[node.block].outputs if node.block in CATALOGUE else ()


def known(block: str, composites: Composites) -> bool:
    """Whether a block's ports can be told."""
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
            repr(text[:80]), "is no wire.", 'Write it as "source -> target" or "a.port -> b.port".'
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
    outs = output_ports(nodes[left], composites) if left in nodes else ()
    ins = input_ports(nodes[right], composites) if right in nodes else ()
    if edge.source_port and first_port(outs) != edge.source_port:
        left += f".{edge.source_port}"
    tensors = [port for port in ins if port.kind not in ("size", "sizes")] or ins
    only = len(tensors) == 1 and not tensors[0].listed and tensors[0].name == edge.target_port
    if edge.target_port and not only:
        right += f".{edge.target_port}"
    return f"{left} -> {right}"
