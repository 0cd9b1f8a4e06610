"""Every question of the lessons: torch's answer, literal here, and how it comes about."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.analyse import analyse
from core.graph import Graph
from core.graph.edits import apply
from core.graph.model import Edge, Node
from core.project import ProjectError
from core.wings.lessons import Predict, list_lessons
from core.wings.lessons.answers import answer, sliding_lines, solve

ANSWERS = {
    ("01_one_neuron", "count"): [17],
    ("01_one_neuron", "imagine"): [11],
    ("02_layers", "wide"): [16],
    ("02_layers", "count"): [80],
    ("03_convolution", "shrink"): [6, 26, 26],
    ("03_convolution", "stride"): [6, 14, 14],
    ("03_convolution", "share"): [156],
    ("04_pooling", "half"): [6, 14, 14],
    ("04_pooling", "none"): [0],
    ("04_pooling", "flat"): [144],
    ("05_depth", "three"): [2320],
    ("05_depth", "five"): [6416],
    ("05_depth", "channels"): [512],
    ("06_normalisation", "count"): [26],
    ("07_overfitting", "count"): [897],
    ("09_residual", "add"): [16, 8, 8],
    ("09_residual", "half"): [32, 4, 4],
    ("10_recurrent", "steps"): [8, 48],
    ("10_recurrent", "last"): [48],
    ("10_recurrent", "count"): [8352],
    ("11_attention", "tokens"): [8, 32],
    ("11_attention", "same"): [8, 32],
    ("11_attention", "count"): [17088],
}


def test_every_question_stands_in_the_table() -> None:
    asked = {(x.name, step.name) for x in list_lessons() for step in x.steps if step.predict}
    assert asked == set(ANSWERS)


@pytest.mark.parametrize(("lesson", "step"), ANSWERS)
def test_torch_answers(lesson: str, step: str) -> None:
    found = answer(lesson, step)
    right = ANSWERS[lesson, step]
    assert found["right"] == right
    last = found["lines"][-1]
    if len(right) == 1 and "leaves" not in last:
        assert f"{right[0]:,}" in last or "has no parameters" in last
    else:
        assert last.endswith(f" outputs ({', '.join(['N', *map(str, right)])})")


def test_the_numbers_are_put_into_torchs_formula() -> None:
    assert answer("03_convolution", "shrink")["lines"] == [
        "conv1 takes (N, 1, 28, 28)",
        "Conv2d outputs (N, out_channels, H', W'), out_channels = 6",
        "height and width: ⌊(28 + 2·0 - 1·(3 - 1) - 1) / 1⌋ + 1 = ⌊25 / 1⌋ + 1 = 26",
        "conv1 outputs (N, 6, 26, 26)",
    ]
    assert "L' = " in answer("03_convolution", "shrink")["formula"]


def test_parameters_are_explained_by_the_tensors_of_the_module() -> None:
    assert answer("10_recurrent", "count")["lines"] == [
        "weight_ih_l0: 144 · 8 = 1,152",
        "weight_hh_l0: 144 · 48 = 6,912",
        "bias_ih_l0: 144",
        "bias_hh_l0: 144",
        "total 8,352",
    ]
    assert answer("11_attention", "count")["lines"][-2:] == [
        "and 10 more tensors",
        "total 17,088",
    ]


def test_a_question_that_does_not_fit_its_template_says_so() -> None:
    with pytest.raises(ProjectError, match="has no question in step nowhere"):
        answer("01_one_neuron", "nowhere")
    with pytest.raises(ProjectError, match="or no node conv9"):
        solve("lenet_digits", Predict("?", "shape", "conv9"))
    bad = ({"op": "set", "node": "pool2", "settings": {"kernel_size": 12}},)
    with pytest.raises(ProjectError, match="has errors after the edits"):
        solve("lenet_digits", Predict("?", "shape", "flat", bad))
    with pytest.raises(ProjectError, match="cannot be edited as the lesson requires"):
        solve("lenet_digits", Predict("?", "total", "", ({"op": "remove", "node": "conv9"},)))


def chain(block: str, given: dict, size: tuple[int, ...]) -> Graph:
    nodes = {"x": Node("Input", {"shape": size}), "b": Node(block, given), "y": Node("Output")}
    edges = (Edge("x", "output", "b", "input"), Edge("b", "output", "y", "input"))
    return Graph(nodes, edges)


numbers = st.integers(1, 4)


@settings(max_examples=60, deadline=None)
@given(
    block=st.sampled_from(["Conv1d", "Conv2d", "MaxPool2d", "AvgPool2d", "MaxPool1d"]),
    kernel=numbers,
    stride=numbers,
    padding=st.integers(0, 2),
    sides=st.tuples(st.integers(6, 12), st.integers(6, 12)),
)
def test_a_worked_line_comes_to_what_torch_says(block, kernel, stride, padding, sides) -> None:
    dims = int(block[-2])
    given = {"kernel_size": kernel, "stride": stride, "padding": padding}
    given |= {"out_channels": 3} if block.startswith("Conv") else {}
    report = analyse(chain(block, given, (2, *sides[:dims])))
    if not report.ok:
        return
    right = [int(d) for d in report.nodes["b"].outputs["output"].shape[1:] if isinstance(d, int)]
    lines = sliding_lines(report.nodes["b"], right)
    assert lines
    assert {int(line.rpartition("= ")[2]) for line in lines} == set(right[1:])


@pytest.mark.parametrize(
    ("block", "more"), [("MaxPool2d", {"ceil_mode": True}), ("Conv2d", {"padding": "same"})]
)
def test_a_line_that_would_not_come_to_torchs_size_is_left_out(block, more) -> None:
    given = {"kernel_size": 2 if block == "MaxPool2d" else 3, **more} | (
        {"out_channels": 3} if block == "Conv2d" else {}
    )
    report = analyse(chain(block, given, (2, 7, 7)))
    node = report.nodes["b"]
    right = [int(d) for d in node.outputs["output"].shape[1:] if isinstance(d, int)]
    assert right[1:] == ([4, 4] if block == "MaxPool2d" else [7, 7])
    assert sliding_lines(node, right) == []


def test_an_edit_of_a_question_leaves_the_template_as_it_is() -> None:
    graph = chain("Linear", {"out_features": 2}, (3,))
    edited = apply(graph, ({"op": "set", "node": "b", "settings": {"out_features": 5}},))
    assert graph.nodes["b"].settings == {"out_features": 2}
    assert edited.nodes["b"].settings == {"out_features": 5}
