"""Two branches of different widths: the first offer gives one layer the other's width."""

from typing import Any

import pytest

from core.analyse import analyse
from core.graph import Graph
from core.graph.edits import apply
from tests.core.drawing import draw

IMAGE = ("Input", {"shape": (3, 8, 8)})


def conv(wide: int, **more: Any) -> tuple[str, dict[str, Any]]:
    return ("Conv2d", {"out_channels": wide, "kernel_size": 3, "padding": 1, **more})


def joined(one: Any, two: Any, block: str = "add", start: Any = IMAGE) -> Graph:
    nodes = {"entry": start, "one": one, "relu": "ReLU", "two": two, "join": block,
             "logits": "Output"}  # fmt: skip
    wires = ["entry -> one", "one -> relu", "entry -> two", "relu -> join.input",
             "two -> join.other", "join -> logits"]  # fmt: skip
    return draw(nodes, wires)


def titles(graph: Graph) -> list[str]:
    return [fix["title"] for fix in analyse(graph).errors[0].fixes]


@pytest.mark.parametrize("block", ["add", "mul", "sub"])
def test_the_width_of_either_layer_is_offered_before_another_convolution(block: str) -> None:
    graph = joined(conv(10), conv(12), block)
    found = titles(graph)
    assert found[:2] == ["Set out_channels of two to 10", "Set out_channels of one to 12"]
    assert found[2].startswith("Insert Conv2d")
    for fix in analyse(graph).errors[0].fixes[:2]:
        assert analyse(apply(graph, fix["edits"])).ok


def test_linear_layers_are_offered_their_features() -> None:
    graph = joined(
        ("Linear", {"out_features": 10}), ("Linear", {"out_features": 12}),
        start=("Input", {"shape": (4,)}),
    )  # fmt: skip
    assert titles(graph)[:2] == ["Set out_features of two to 10", "Set out_features of one to 12"]


def test_where_sizes_differ_too_or_one_is_a_shortcut_a_convolution_comes_first() -> None:
    strided = joined(conv(10), conv(12, stride=2))
    assert not titles(strided)[0].startswith("Set ")
    nodes = {"entry": IMAGE, "one": conv(10), "two": conv(12), "join": "add", "logits": "Output"}
    wires = ["entry -> one", "one -> two", "one -> join.input", "two -> join.other",
             "join -> logits"]  # fmt: skip
    assert titles(draw(nodes, wires))[0].startswith("Insert Conv2d")
