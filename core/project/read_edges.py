"""Read the edges of a file, each from an existing node to a port without another edge."""

import re
from collections.abc import Mapping
from typing import Any

from core.common.bounded_cache import BoundedCache
from core.files.messages import fail, quote
from core.graph import Composite, Edge, Graph, GraphError, Node
from core.graph.edits import sort_edges
from core.graph.ports import (
    has_port,
    input_ports,
    known,
    output_ports,
    parse_edge,
    resolve,
)
from core.project.values import Notes, json_list

LONGEST = 200
LIST_PORT = re.compile(r"\A\w+(\.(0|[1-9]\d{0,3}))?\Z")

Nodes = Mapping[str, Node]
Composites = Mapping[str, Composite]

_edges: BoundedCache[tuple[str, str, str], Edge] = BoundedCache(16_384)
"""Edges between blocks of the catalogue, by their text and the two blocks."""


def resolved(nodes: Nodes) -> dict[str, Node]:
    """Nodes with their blocks named, also where they share the weights of another."""
    return {name: resolve(node, nodes) for name, node in nodes.items()}


def read_edges(
    data: Any, nodes: Nodes, composites: Composites, path: str, notices: Notes
) -> tuple[Edge, ...]:
    """Read the edges of one graph, in the order of their targets. Raises ProjectError."""
    nodes = resolved(nodes)
    taken: dict[tuple[str, str], str] = {}
    edges: list[Edge] = []
    for index, value in enumerate(json_list(data, path)):
        here = f"{path}[{index}]"
        edge = _read_edge(value, nodes, composites, here, notices)
        end = (edge.target, edge.target_port)
        if end in taken:
            port = ".".join(part for part in end if part)
            fail(here, f"ends in {port}, as {taken[end]} does.", "Keep one of the two edges.")
        taken[end] = here
        edges.append(edge)
    return sort_edges(Graph(nodes, (), composites), edges)


def _read_edge(value: Any, nodes: Nodes, composites: Composites, path: str, notices: Notes) -> Edge:
    key = _key(value, nodes, composites)
    if key and (edge := _edges.get(key)) is not None:
        return edge
    count = len(notices)
    edge = _read_new_edge(value, nodes, composites, path, notices)
    return _edges.put(key, edge) if key and len(notices) == count else edge


def _key(value: Any, nodes: Nodes, composites: Composites) -> tuple[str, str, str] | None:
    """The cache key of an edge; None where composites or invalid values decide how it is read."""
    if not isinstance(value, str):
        return None
    left, _, right = value.partition(" -> ")
    source, target = (nodes.get(end.partition(".")[0]) for end in (left, right))
    if source is None or target is None or len(value) > LONGEST:
        return None
    if source.block in composites or target.block in composites:
        return None
    return value, source.block, target.block


def _read_new_edge(
    value: Any, nodes: Nodes, composites: Composites, path: str, notices: Notes
) -> Edge:
    hint = 'Write it as "source -> target" or "source.port -> target.port".'
    if not isinstance(value, str):
        fail(path, f"needs text but receives {quote(value)}.", hint)
    if len(value) > LONGEST:
        fail(path, f"has {len(value)} characters; at most {LONGEST} are allowed.", hint)
    try:
        edge = parse_edge(value, nodes, composites)
    except GraphError:
        fail(path, f"is not an edge: {quote(value)}.", hint)
    if not LIST_PORT.match(edge.target_port or "_"):
        fail(
            path,
            f"has an invalid port index: {quote(edge.target_port)}.",
            "Number ports 0, 1, 2, ...",
        )
    for end in (edge.source, edge.target):
        if end not in nodes:
            fail(
                path,
                f"names the node {end}, which does not exist.",
                "Add the node, or remove the edge.",
            )
    for node, port, ports, side in (
        (edge.source, edge.source_port, output_ports(nodes[edge.source], composites), "output"),
        (edge.target, edge.target_port, input_ports(nodes[edge.target], composites), "input"),
    ):
        if known(nodes[node].block, composites) and not has_port(ports, port):
            which = f"{side} port {port!r}" if port else f"{side} port"
            notices.append((path, f"needs an {which} of {node}, which has none; it is kept."))
    return edge
