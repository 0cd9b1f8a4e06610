"""Offers for an addition of two branches of different widths: give one layer the other's width."""

from collections.abc import Iterator, Mapping
from typing import Any

from blocks import Signature, declaration, has
from core.analyse.remedies import Offer, block_of, is_applicable, offer
from core.graph import Graph
from core.graph.order import ancestors

CHANNELS = ("convolves", "transposed")
KEEPS = ("elementwise", "dropout", "pools")
"""Traits of blocks that hand on as many channels as they receive."""


def matching_widths(graph: Graph, node: str, inputs: Mapping[str, Any]) -> tuple[Offer, ...]:
    """Set the width of the layer behind either port to that of the other.

    Where the branches run side by side and differ in width alone: on a shortcut, one layer is
    behind both, and a projection is what is wanted.
    """
    a, b = inputs.get("input"), inputs.get("other")
    if not isinstance(a, Signature) or not isinstance(b, Signature) or a.rank != b.rank:
        return ()
    behind = {e.target_port: _maker(graph, e.source) for e in graph.into(node)}
    one, two = behind.get("input", ""), behind.get("other", "")
    if not one or not two or one == two:
        return ()
    if one in ancestors(graph, two) or two in ancestors(graph, one):
        return ()
    return tuple([*_set(graph, two, b, a), *_set(graph, one, a, b)])


def _maker(graph: Graph, name: str) -> str:
    """The layer that decides how wide a wire is; "" where none is known."""
    while name and not has(block_of(graph, name), "dense", *CHANNELS):
        wires = graph.into(name)
        if not _keeps(block_of(graph, name)) or len(wires) != 1:
            return ""
        name = wires[0].source
    return name


def _keeps(block: str) -> bool:
    """Whether it hands on as many channels as it receives, which no setting has to say."""
    follows = declaration(block).setting("num_features")
    return has(block, *KEEPS) or (follows is not None and follows.infer is not None)


def _set(graph: Graph, name: str, have: Signature, want: Signature) -> Iterator[Offer]:
    dense = has(block_of(graph, name), "dense")
    setting, dim = ("out_features", -1) if dense else ("out_channels", 1)
    size, at = want.shape[dim], dim % have.rank
    rest = [(x, y) for i, (x, y) in enumerate(zip(have.shape, want.shape, strict=True)) if i != at]
    node = graph.nodes[name]
    plain = isinstance(node.settings.get(setting), int) and not node.weights_of
    if not plain or not isinstance(size, int) or any(x != y for x, y in rest):
        return
    edit = {"op": "set", "node": name, "settings": {setting: size}}
    made = offer(f"Set {setting} of {name} to {size}", edit)
    if node.settings.get("groups", 1) == 1 and is_applicable(graph, made):
        yield made
