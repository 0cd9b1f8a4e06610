"""A graph as JSON, as in the project file and between server and canvas."""

from collections.abc import Mapping
from typing import Any

from blocks import CATALOGUE
from core.graph import Composite, Graph, Node
from core.graph.edits import sort_edges
from core.graph.ports import write_edge
from core.project.read_edges import resolved
from core.project.read_graph import read_graph
from core.project.values import json_object

Json = dict[str, Any]
Composites = Mapping[str, Composite]


def graph_from_json(data: Any) -> Graph:
    """Read a graph: {"nodes": {...}, "edges": [...]}, with "composites" beside them if any.

    Raises ProjectError with the JSON path.
    """
    graph = json_object(data, "graph")
    rest = {key: value for key, value in graph.items() if key != "composites"}
    return read_graph(rest, graph.get("composites", {}), [])


def graph_to_json(graph: Graph) -> Json:
    """Write a graph as JSON values; "composites" stands in it only if there are any."""
    data: Json = {
        "nodes": {name: node_to_json(node) for name, node in graph.nodes.items()},
        "edges": edges_to_json(graph, graph.composites),
        **graph.extra,
    }
    if graph.composites:
        data["composites"] = {
            name: composite_to_json(part, graph.composites)
            for name, part in graph.composites.items()
        }
    return data


def node_to_json(node: Node) -> Json:
    """Write a node, leaving out what is empty; settings in the order of the block's own."""
    data: Json = {"block": node.block} if node.block else {}
    if node.settings:
        block = CATALOGUE.get(node.block) if len(node.settings) > 1 else None
        rank = {s.name: i for i, s in enumerate(block.settings)} if block else {}
        names = sorted(node.settings, key=lambda name: rank.get(name, len(rank)))
        data["settings"] = {name: node.settings[name] for name in names}
    if node.repeat != 1:
        data["repeat"] = node.repeat
    if node.weights_of:
        data["weights_of"] = node.weights_of
    if node.frozen:
        data["frozen"] = True
    if node.lr_factor != 1.0:
        data["lr_factor"] = node.lr_factor
    if node.unused:
        data["unused"] = True
    if node.label:
        data["label"] = node.label
    return {**data, **node.extra}


def edges_to_json(graph: Graph, composites: Composites) -> list[str]:
    """Write the edges, in the order of their targets, then ports."""
    nodes = resolved(graph.nodes)
    edges = sort_edges(Graph(nodes, (), composites), graph.edges)
    return [write_edge(edge, nodes, composites) for edge in edges]


def composite_to_json(part: Composite, composites: Composites) -> Json:
    """Write a composite: its settings, nodes and edges, or the lines of its Python."""
    if part.python:
        return {"python": part.python.split("\n"), **part.extra}
    return {
        "settings": part.settings,
        "nodes": {name: node_to_json(node) for name, node in part.graph.nodes.items()},
        "edges": edges_to_json(part.graph, composites),
        **part.extra,
    }
