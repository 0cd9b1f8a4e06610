"""Blocks may be called x, y, out or h: the source's own variables give way."""

import pytest
import torch

from core.analyse import analyse, build
from core.graph import Graph
from tests.core.drawing import draw


def residual(first: str, layer: str, last: str = "out", start: str = "relu1") -> Graph:
    """An input that is read again at the end, over two layers."""
    nodes = {
        first: ("Input", {"shape": (4,)}),
        layer: ("Linear", {"out_features": 4}),
        start: "ReLU",
        "tanh1": "Tanh",
        "join": "add",
        last: "Output",
    }
    edges = [f"{first} -> {layer}", f"{layer} -> {start}", f"{start} -> tanh1",
             "tanh1 -> join.input", f"{first} -> join.other", f"join -> {last}"]  # fmt: skip
    return draw(nodes, edges)


def body_of(graph: Graph) -> list[str]:
    report = analyse(graph)
    assert report.source is not None, report.errors
    given = torch.rand(2, 4)
    module = build(report.source)
    layer = next(m for m in module.modules() if isinstance(m, torch.nn.Linear))
    assert torch.equal(module(given), torch.tanh(torch.relu(layer(given))) + given)
    lines = report.source.rpartition("Tensor:\n")[2].strip().split("\n")
    return [line.partition("  #")[0].strip() for line in lines]


def test_an_input_called_x_stays_what_it_is_to_the_last_line():
    assert body_of(residual("x", "fc1", "y")) == [
        "h = self.fc1(x)",
        "h = self.relu1(h)",
        "h = self.tanh1(h)",
        "h = h + x",
        "return h",
    ]


@pytest.mark.parametrize(
    ("first", "layer", "start", "expected"),
    [
        ("features", "x", "relu1", "h = self.x(features)"),
        ("x", "y", "h", "h_ = self.y(x)"),
        ("out", "fc1", "relu1", "x = self.fc1(out)"),
    ],
)
def test_the_name_of_the_passing_value_is_one_that_no_block_has(
    first: str, layer: str, start: str, expected: str
):
    assert body_of(residual(first, layer, "result", start))[0] == expected
