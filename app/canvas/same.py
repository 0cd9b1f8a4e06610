"""When two projects are the same, and numbers that lost their point on the way to the browser."""

from dataclasses import replace
from typing import Any

from core.graph import Composite, Graph, Node
from core.project import Project


def asks_the_same(old: Project, new: Project) -> bool:
    """Whether the analysis of both, training mistakes included, says the same."""
    parts = (old.name, old.data, old.training) == (new.name, new.data, new.training)
    return parts and _same(old.graph, new.graph)


def equal(one: Project, other: Project) -> bool:
    """Whether two projects are the same, the order of their nodes included."""
    return one == other and _same(one.graph, other.graph)


def _same(one: Graph, other: Graph) -> bool:
    """Whether two graphs mean the same; unlike `==`, the order of nodes counts."""
    return one == other and list(one.nodes) == list(other.nodes)


def with_floats(graph: Graph, old: Graph) -> Graph:
    """Give 1.0 back its point: in the browser 1.0 and 1 are the same number."""
    nodes = {name: _same_numbers(node, old.nodes.get(name)) for name, node in graph.nodes.items()}
    parts = {
        name: _partwith_floats(part, before) if (before := old.composites.get(name)) else part
        for name, part in graph.composites.items()
    }
    return replace(graph, nodes=nodes, composites=parts)


def _partwith_floats(part: Composite, old: Composite) -> Composite:
    settings = {k: _number(value, old.settings.get(k)) for k, value in part.settings.items()}
    return replace(part, settings=settings, graph=with_floats(part.graph, old.graph))


def _same_numbers(node: Node, old: Node | None) -> Node:
    if old is None or node is old or not node.settings:
        return node
    kept = {name: _number(value, old.settings.get(name)) for name, value in node.settings.items()}
    return node if repr(kept) == repr(node.settings) else replace(node, settings=kept)


def _number(value: Any, before: Any) -> Any:
    if isinstance(value, tuple) and isinstance(before, tuple) and len(value) == len(before):
        return tuple(_number(v, b) for v, b in zip(value, before, strict=True))
    return before if type(value) is int and type(before) is float and before == value else value
