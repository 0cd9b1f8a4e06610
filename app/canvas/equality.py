"""Equality of projects, and floats that became integers on their way through JSON."""

from dataclasses import replace
from typing import Any

from core.graph import Composite, Graph, Node
from core.project import Project


def same_analysis(old: Project, new: Project) -> bool:
    """Whether the analysis of both has the same result, mistakes in the training included."""
    parts = (old.name, old.data, old.training) == (new.name, new.data, new.training)
    return parts and _same_graph(old.graph, new.graph)


def equal(one: Project, other: Project) -> bool:
    """Whether two projects are the same, the order of their nodes included."""
    return one == other and _same_graph(one.graph, other.graph)


def _same_graph(one: Graph, other: Graph) -> bool:
    """Whether two graphs mean the same; unlike `==`, the order of nodes counts."""
    return one == other and list(one.nodes) == list(other.nodes)


def restore_floats(graph: Graph, old: Graph) -> Graph:
    """Give 1.0 back its point: in the browser 1.0 and 1 are the same number."""
    nodes = {
        name: _restore_settings(node, old.nodes.get(name)) for name, node in graph.nodes.items()
    }
    parts = {
        name: _restore_floats_of(part, before) if (before := old.composites.get(name)) else part
        for name, part in graph.composites.items()
    }
    return replace(graph, nodes=nodes, composites=parts)


def _restore_floats_of(part: Composite, old: Composite) -> Composite:
    settings = {k: _restore_float(value, old.settings.get(k)) for k, value in part.settings.items()}
    return replace(part, settings=settings, graph=restore_floats(part.graph, old.graph))


def _restore_settings(node: Node, old: Node | None) -> Node:
    if old is None or node is old or not node.settings:
        return node
    settings = {
        name: _restore_float(value, old.settings.get(name)) for name, value in node.settings.items()
    }
    return node if repr(settings) == repr(node.settings) else replace(node, settings=settings)


def _restore_float(value: Any, before: Any) -> Any:
    if isinstance(value, tuple) and isinstance(before, tuple) and len(value) == len(before):
        return tuple(_restore_float(v, b) for v, b in zip(value, before, strict=True))
    return before if type(value) is int and type(before) is float and before == value else value
