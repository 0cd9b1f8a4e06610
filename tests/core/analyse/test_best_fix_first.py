"""The first fix that is offered is the one that an experienced person would take."""

import pytest

from core.analyse import analyse
from core.graph import Edge, Graph, Node
from core.graph.edits import apply

CONV = {"kernel_size": 3, "padding": 1}


def residual(shortcut: str, branch: str, **more: int) -> Graph:
    """A residual whose branch doubles the channels; `shortcut` and `branch` are ports of add."""
    nodes = {
        "image": Node("Input", {"shape": (1, 8, 8)}),
        "conv1": Node("Conv2d", {"out_channels": 16, **CONV}),
        "relu1": Node("ReLU"),
        "conv2": Node("Conv2d", {"out_channels": 32, **CONV, **more}),
        "join": Node("add"),
        "out": Node("Output"),
    }
    edges = [("image", "conv1"), ("conv1", "relu1"), ("relu1", "conv2")]
    wires = [Edge(a, "output", b, "input") for a, b in edges]
    wires += [Edge("relu1", "output", "join", shortcut), Edge("conv2", "output", "join", branch)]
    return Graph(nodes, (*wires, Edge("join", "output", "out", "input")))


@pytest.mark.parametrize(("shortcut", "branch"), [("input", "other"), ("other", "input")])
@pytest.mark.parametrize("stride", [1, 2])
def test_the_shortcut_is_projected_and_the_branch_stays(shortcut: str, branch: str, stride: int):
    graph = residual(shortcut, branch, stride=stride)
    [error] = analyse(graph).errors
    edit = error.fixes[0]["edits"][0]
    assert (edit["op"], edit["block"], edit["port"]) == ("insert", "Conv2d", shortcut)
    assert edit["settings"]["out_channels"] == 32
    assert analyse(apply(graph, error.fixes[0]["edits"])).errors == ()


def test_the_open_port_of_an_add_is_offered_the_residual_not_the_branch_twice():
    graph = residual("other", "input")
    wires = [e for e in graph.edges if e.target_port != "other"]
    [error] = analyse(Graph(graph.nodes, tuple(wires))).errors
    assert [fix["title"] for fix in error.fixes] == [
        "Connect relu1",
        "Connect conv1",
        "Remove join",
    ]


def test_an_unused_result_is_offered_before_a_residual():
    graph = residual("other", "input")
    wires = [e for e in graph.edges if e.target_port != "other"]
    nodes = {"side": Node("ReLU"), **graph.nodes}
    [error] = analyse(Graph(nodes, (*wires, Edge("image", "output", "side", "input")))).errors
    assert error.fixes[0]["title"] == "Connect side"
