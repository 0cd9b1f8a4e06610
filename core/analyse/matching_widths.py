"""Offers for an addition of two branches of different widths: give one layer the other's width."""

from collections.abc import Iterator, Mapping
from typing import Any

from blocks import Signature
from core.analyse.remedies import Offer, block_of, is_applicable, offer
from core.graph import Graph
from core.graph.order import ancestors

WIDTHS = {"Linear": ("out_features", -1)} | {
    f"{kind}{n}d": ("out_channels", 1) for kind in ("Conv", "ConvTranspose") for n in (1, 2, 3)
}
"""The setting that says a layer's width, and the dimension of its output that it is."""
KEEPS = frozenset(
    "ReLU ReLU6 LeakyReLU ELU CELU SELU GELU SiLU Mish Sigmoid Tanh Hardswish Hardsigmoid Softplus "
    "relu gelu sigmoid tanh Identity Dropout Dropout1d Dropout2d Dropout3d "
    "BatchNorm1d BatchNorm2d BatchNorm3d InstanceNorm1d InstanceNorm2d InstanceNorm3d "
    "MaxPool1d MaxPool2d MaxPool3d AvgPool1d AvgPool2d AvgPool3d AdaptiveAvgPool2d".split()
)
"""Blocks that hand on as many channels as they receive, without a setting that says how many."""


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
    while name and block_of(graph, name) not in WIDTHS:
        wires = graph.into(name)
        if block_of(graph, name) not in KEEPS or len(wires) != 1:
            return ""
        name = wires[0].source
    return name


def _set(graph: Graph, name: str, have: Signature, want: Signature) -> Iterator[Offer]:
    setting, dim = WIDTHS[block_of(graph, name)]
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
