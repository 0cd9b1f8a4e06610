"""Two drawings are the same network where they compute the same with the same weights."""

from dataclasses import replace
from typing import Any

import pytest

from core.graph import Composite, Edge, Graph, Node
from core.graph.difference import same_network

NODES = {
    "x": Node("Input", {"shape": (4,)}),
    "fc": Node("Linear", {"out_features": 3}),
    "out": Node("Output"),
}
WIRES = (Edge("x", "output", "fc", "input"), Edge("fc", "output", "out", "input"))
DRAWN = Graph(NODES, WIRES)


def changed(name: str, **more: Any) -> Graph:
    return replace(DRAWN, nodes={**NODES, name: replace(NODES[name], **more)})


@pytest.mark.parametrize(
    "other",
    [
        changed("fc", label="the last layer"),
        changed("fc", frozen=True, lr_factor=0.1),
        changed("fc", settings={"out_features": 3, "bias": True}),
        replace(DRAWN, edges=WIRES[::-1]),
        replace(DRAWN, composites={"Unused": Composite()}),
    ],
)
def test_what_changes_no_result_leaves_it_the_same(other: Graph) -> None:
    assert same_network(DRAWN, other)


@pytest.mark.parametrize(
    "other",
    [
        changed("fc", settings={"out_features": 4}),
        changed("fc", settings={"out_features": 3, "bias": False}),
        changed("fc", block="LazyLinear"),
        changed("fc", repeat=2),
        replace(DRAWN, edges=WIRES[:1]),
        replace(DRAWN, nodes=dict(reversed(NODES.items()))),
        replace(DRAWN, nodes={**NODES, "more": Node("ReLU")}),
    ],
)
def test_what_changes_a_result_or_a_weight_makes_it_another(other: Graph) -> None:
    assert not same_network(DRAWN, other)


def test_composites_are_compared_by_what_they_hold() -> None:
    def using(python: str) -> Graph:
        return Graph({"mine": Node("Mine")}, (), {"Mine": Composite(python=python)})

    assert same_network(using("class A: pass"), using("class A: pass"))
    assert not same_network(using("class A: pass"), using("class A: 1"))
