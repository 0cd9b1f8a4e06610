"""Limits on what a small ONNX file may expand to: nodes of functions are counted before they are
inlined, and the size of every tensor is checked before a value is read."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from onnx import ModelProto, TensorProto

from core.common.errors import ImportRefused

NODES = 50_000
DEPTH = 100
"""Functions in functions. Exporters nest them as deeply as modules."""
Key = tuple[str, str, str]


def check_nodes(model: ModelProto, place: str) -> None:
    """Count the nodes after inlining of functions. Raises ImportRefused for too many."""
    bodies = {_key(f, f.name): [*all_nodes(f.node)] for f in model.functions}
    counts: dict[Key, int] = {}
    count = sum(_count(node, bodies, counts, place, 0) for node in all_nodes(model.graph.node))
    if count > NODES:
        many = f"{count:,}" if count < 10**15 else "countless"
        raise ImportRefused(place, f"has {many} nodes, more than the {NODES:,} that can be drawn.")


def _key(part: Any, name: str) -> Key:
    return part.domain, name, getattr(part, "overload", "")


def _count(
    node: Any, bodies: Mapping[Key, list[Any]], counts: dict[Key, int], place: str, depth: int
) -> int:
    """The nodes that one expands to: one, or those of the function that it calls."""
    key = _key(node, node.op_type)
    if key not in bodies:
        return 1
    if depth > DEPTH:
        message = f"has functions that call each other more than {DEPTH} deep, or without end."
        raise ImportRefused(place, message)
    if key not in counts:
        counts[key] = sum(_count(n, bodies, counts, place, depth + 1) for n in bodies[key])
    return counts[key]


def all_nodes(nodes: Iterable[Any]) -> Iterator[Any]:
    """Nodes with those of their subgraphs."""
    for node in nodes:
        yield node
        for graph in _graphs(node):
            yield from all_nodes(graph.node)


def _graphs(node: Any) -> Iterator[Any]:
    for attribute in node.attribute:
        if attribute.HasField("g"):
            yield attribute.g
        yield from attribute.graphs


def check_tensors(model: ModelProto, place: str) -> None:
    """Refuse external data anywhere but in the model's own initializers, whose paths are
    checked."""
    for tensor in _inner_tensors(model):
        if tensor.data_location == TensorProto.EXTERNAL:
            raise ImportRefused(
                place,
                "has a constant whose values lie in another file.",
                "Save it again with its constants in the file itself.",
            )


def _inner_tensors(model: ModelProto) -> Iterator[Any]:
    nodes = [*all_nodes(model.graph.node)]
    nodes += [node for function in model.functions for node in all_nodes(function.node)]
    graphs = [graph for node in nodes for graph in _graphs(node)]
    for graph in graphs:
        yield from graph.initializer
    sparse = [s for graph in (model.graph, *graphs) for s in graph.sparse_initializer]
    held = [a for node in nodes for a in node.attribute]
    held += [a for function in model.functions for a in function.attribute_proto]
    for attribute in held:
        yield from (attribute.t, *attribute.tensors)
        sparse += [attribute.sparse_tensor, *attribute.sparse_tensors]
    for tensor in sparse:
        yield from (tensor.values, tensor.indices)
