"""Blocks that an exporter cannot write are found by writing each alone, not by its message."""

from itertools import pairwise
from typing import Any

from torch import nn

from core.export.failing_blocks import failing_blocks, named
from core.export.result import CannotHold
from core.export.subject import Subject, subject_of
from core.graph import Composite, Edge, Graph, Node
from core.project import Project


def drawing(nodes: dict[str, Node], composites: dict[str, Composite] | None = None) -> Project:
    wires = tuple(Edge(a, "output", b, "input") for a, b in pairwise(nodes))
    return Project(name="net", graph=Graph(nodes, wires, composites or {}))


NODES = {
    "entry": Node("Input", {"shape": (3, 10, 10)}),
    "c": Node("Conv2d", {"out_channels": 4, "kernel_size": 3}),
    "p": Node("AdaptiveMaxPool2d", {"output_size": (3, 5)}),
    "q": Node("AdaptiveMaxPool2d", {"output_size": (2, 2)}),
    "end": Node("Output"),
}


def refusing(kind: type[nn.Module], tried: list[str]) -> Any:
    """An exporter that cannot write a kind of layer, and speaks of convolutions."""

    def make(subject: Subject) -> None:
        subject.module(*subject.sample(2))
        tried.append(type(subject.module).__name__)
        if any(isinstance(part, kind) for part in subject.module.modules()):
            raise CannotHold("A file cannot hold this network", "no room for conv2d.", "Wait.")

    return make


def test_blocks_that_fail_alone_are_named_with_their_reason() -> None:
    make = refusing(nn.AdaptiveMaxPool2d, [])
    error = CannotHold("A file cannot hold this network", "no room for conv2d.", "Wait.")
    found = named(subject_of(drawing(NODES)), make, error)
    assert found.message == (
        "A file cannot hold this network: p (AdaptiveMaxPool2d), q (AdaptiveMaxPool2d): "
        "no room for conv2d."
    )
    assert found.hint == "Wait."


def test_the_message_stays_where_every_block_can_be_written_alone() -> None:
    error = CannotHold("A file cannot hold this network", "no room.", "Wait.")
    found = named(subject_of(drawing(NODES)), refusing(nn.LSTM, []), error)
    assert found.message == "A file cannot hold this network: no room."


def test_blocks_alike_are_tried_once_and_named_each_by_its_path() -> None:
    inner = {
        "input": Node("Input"),
        "act": Node("ReLU"),
        "lin": Node("Linear", {"out_features": 6}),
    }
    wires = tuple(Edge(a, "output", b, "input") for a, b in pairwise([*inner, "output"]))
    part = Composite(graph=Graph({**inner, "output": Node("Output")}, wires))
    nodes = {
        "entry": Node("Input", {"shape": (6,)}),
        "part": Node("Part", repeat=2),
        "last": Node("ReLU"),
        "end": Node("Output"),
    }
    tried: list[str] = []
    make = refusing(nn.ReLU, tried)
    found = failing_blocks(subject_of(drawing(nodes, {"Part": part})), make)
    assert found == dict.fromkeys(
        ("part.0.act (ReLU)", "part.1.act (ReLU)", "last (ReLU)"), "no room for conv2d."
    )
    assert len(tried) == 2


def test_a_block_without_a_module_of_its_own_is_tried_alone_too() -> None:
    nodes = {
        "entry": Node("Input", {"shape": (6,)}),
        "sum": Node("cumsum", {"dim": 1}),
        "end": Node("Output"),
    }

    def make(subject: Subject) -> None:
        if "cumsum" in subject.source:
            raise CannotHold("A file cannot hold this network", "too long.")

    assert failing_blocks(subject_of(drawing(nodes)), make) == {"sum (cumsum)": "too long."}
