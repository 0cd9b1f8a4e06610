"""What works in place is warned of exactly where another block, the data or learning suffers."""

import pytest
import torch

from core.analyse import analyse, build
from core.graph import Composite
from tests.core.drawing import chain, draw

DATA = ("data", ("Input", {"shape": (4,)}))
FC = ("Linear", {"out_features": 4})
ACT = ("ReLU", {"inplace": True})
DROP = ("Dropout", {"inplace": True})
END = ("logits", "Output")


def in_place_warnings(graph) -> list[str]:
    report = analyse(graph)
    assert report.ok
    return [w.message for w in report.warnings if w.code == "in_place"]


def learns(graph) -> bool:
    """Whether one step of training works, by torch itself."""
    module = build(str(analyse(graph).source)).train()
    try:
        module(torch.rand(3, 4)).sum().backward()
    except RuntimeError as error:
        if "modified by an inplace operation" not in str(error):
            raise
        return False
    return True


@pytest.mark.parametrize("before", ["ReLU", "Sigmoid", "Tanh", "Softplus", "GELU", "Identity"])
@pytest.mark.parametrize("after", [DROP, ACT])
def test_the_warning_is_there_exactly_where_torch_cannot_learn(before: str, after):
    graph = chain(DATA, ("fc", FC), ("act", before), ("last", after), END)
    assert bool(in_place_warnings(graph)) is not learns(graph)


def test_it_is_seen_through_a_view_too():
    graph = chain(DATA, ("fc", FC), ("act", "Sigmoid"), ("flat", "Flatten"), ("drop", DROP), END)
    assert in_place_warnings(graph) == [
        "drop overwrites the output of act, which act needs to compute its gradient: "
        "training would fail."
    ]
    assert not learns(graph)


def test_another_reader_of_the_same_values_is_named():
    nodes = {"data": DATA[1], "fc": FC, "act": ACT, "join": "add", "logits": "Output"}
    wires = ["data -> fc", "fc -> act", "act -> join.input", "fc -> join.other", "join -> logits"]
    assert in_place_warnings(draw(nodes, wires)) == [
        "act overwrites the output of fc, which join also needs: it may receive the changed values."
    ]


def test_the_data_itself_is_not_to_be_changed():
    assert in_place_warnings(chain(DATA, ("act", ACT), ("fc", FC), END)) == [
        "act works in place on the input data: each pass changes the data itself."
    ]


def test_there_is_no_warning_where_nobody_suffers():
    norm = ("bn", "BatchNorm1d")
    assert in_place_warnings(chain(DATA, ("fc", FC), norm, ("act", ACT), ("fc2", FC), END)) == []


def test_what_a_block_before_it_reads_is_no_matter_of_its_own():
    nodes = {"data": DATA[1], "fc": FC, "a": FC, "act": ACT, "b": FC, "sum": "add", "out": "Output"}
    wires = ["data -> fc", "fc -> a", "a -> act", "fc -> b", "act -> sum.input",
             "b -> sum.other", "sum -> out"]  # fmt: skip
    assert in_place_warnings(draw(nodes, wires)) == []


def test_a_composite_is_looked_into():
    part = chain(("inp", "Input"), ("fc", FC), ("act", "Tanh"), ("drop", DROP), ("out", "Output"))
    graph = chain(DATA, ("stage", "Part"), END, composites={"Part": Composite({}, part)})
    assert [m.split(", which")[0] for m in in_place_warnings(graph)] == [
        "stage.drop overwrites the output of act"
    ]  # fmt: skip
