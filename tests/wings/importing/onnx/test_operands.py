"""An operand of an ONNX file is aligned with the last axis, whatever it holds; and comparisons with
the file try negative, large and whole numbers."""

from typing import Any

import numpy as np
import pytest
import torch
from onnx import TensorProto, helper, numpy_helper
from torch import Tensor, nn

from core.analyse import analyse, build
from core.wings.importing import import_module
from core.wings.importing.onnx import open_onnx
from core.wings.importing.onnx.check import file_verdicts
from core.wings.importing.tracing.sample_inputs import adopt
from core.wings.importing.verify.equivalence import verdicts
from core.wings.importing.weights import full_state, mapped_state
from tests.wings.importing.onnx.onnx_files import model, random

TWO = np.array([0.1, 0.9], np.float32)
MASK = helper.make_node("Greater", ["x", "zero"], ["m"])
ZERO = {"zero": np.zeros((), np.float32)}


def drawn(nodes: list[Any], weights: dict[str, Any], shape: list[Any], rank: int = 0) -> Any:
    """The opened file, its import, and the drawing with the file's weights."""
    source = open_onnx(model(nodes, weights, shape, rank))
    found = import_module(source.module, source.shapes, source.name, source.dtypes)
    report = analyse(found.project.graph)
    assert report.source, report.errors
    ours = build(report.source)
    adopt(ours, mapped_state(full_state(source.module), found.keys, ours))
    return source, found, ours


def prelu(*shape: int) -> Any:
    nodes = [helper.make_node("PRelu", ["x", "s"], ["y"])]
    return drawn(nodes, {"s": TWO.reshape(shape)}, ["N", 2, 3, 2])


def test_a_prelu_aligns_its_slopes_with_the_last_axis():
    source, found, ours = prelu(2)
    with torch.no_grad():
        row = ours(-torch.ones(1, 2, 3, 2)).flatten().tolist()
    assert all(verdict.equal for verdict in file_verdicts(source, ours, found.keys)[:2])
    assert row == pytest.approx([-0.1, -0.9] * 6)


def test_a_prelu_with_a_slope_for_each_channel_is_the_layer():
    source, found, ours = prelu(2, 1, 1)
    assert [type(part) for part in ours.children()] == [nn.PReLU]
    with torch.no_grad():
        row = ours(-torch.ones(1, 2, 3, 2)).flatten().tolist()
    assert all(verdict.equal for verdict in file_verdicts(source, ours, found.keys)[:2])
    assert row == pytest.approx([-0.1] * 6 + [-0.9] * 6)


@pytest.mark.gate
@pytest.mark.parametrize(
    ("nodes", "weights", "shape"),
    [
        ([helper.make_node("PRelu", ["x", "c"], ["y"])], {"c": random(3, 1)}, ["N", 2, 3, 2]),
        ([helper.make_node("LayerNormalization", ["x", "c", "d"], ["y"], axis=1)],
         {"c": random(3), "d": random(2, 1)}, ["N", 2, 3]),
        ([helper.make_node("LayerNormalization", ["x", "c"], ["y"])], {"c": random(1)},
         ["N", 2, 3]),
        ([helper.make_node("Gemm", ["x", "w", "c"], ["y"])],
         {"w": random(3, 4), "c": random(1, 4)}, ["N", 3]),
        ([helper.make_node("MatMul", ["x", "w"], ["y"])], {"w": random(2, 3, 3)}, ["N", 2, 3, 3]),
        ([MASK, helper.make_node("Where", ["m", "x", "c"], ["y"])], {**ZERO, "c": random(3, 1)},
         ["N", 3, 2]),
        ([helper.make_node("Clip", ["x", "c"], ["y"])], {"c": np.array(-0.3, np.float32)},
         ["N", 3]),
    ],
)  # fmt: skip
def test_an_operand_is_judged_by_its_shape(
    nodes: list[Any], weights: dict[str, Any], shape: list[Any]
):
    source, found, ours = drawn(nodes, weights, shape)
    judged = file_verdicts(source, ours, found.keys)
    assert [verdict.equal for verdict in judged[:2]] == [True, True], judged


def test_a_bias_for_each_sample_is_no_bias_of_a_layer():
    nodes = [helper.make_node("Gemm", ["x", "w", "c"], ["y"])]
    source = open_onnx(model(nodes, {"w": random(3, 4), "c": random(4, 1)}, [4, 3]))
    assert [type(part) for part in source.module.children()] == []


@pytest.mark.parametrize(
    ("node", "weights", "wanted"),
    [
        (helper.make_node("Equal", ["m", "t"], ["b"]), {"t": np.array(True)}, [0.0, 0.0, 1.0]),
        (helper.make_node("Equal", ["m", "t"], ["b"]), {"t": np.array(False)}, [1.0, 1.0, 0.0]),
        (helper.make_node("And", ["m", "t"], ["b"]), {"t": np.array(True)}, [0.0, 0.0, 1.0]),
        (helper.make_node("Where", ["m", "t", "f"], ["b"]),
         {"t": np.array(True), "f": np.array(False)}, [0.0, 0.0, 1.0]),
    ],
)  # fmt: skip
def test_a_mask_meets_true_and_false(node: Any, weights: dict[str, Any], wanted: list[float]):
    last = helper.make_node("Cast", ["b"], ["y"], to=TensorProto.FLOAT)
    source, found, ours = drawn([MASK, node, last], {**ZERO, **weights}, ["N", 3])
    assert all(verdict.equal for verdict in file_verdicts(source, ours, found.keys)[:2])
    assert ours(torch.tensor([[-1.0, 0.0, 2.0]])).tolist() == [wanted]


class Doubles(nn.Module):
    """A drawing that is wrong below zero."""

    def forward(self, x: Tensor) -> Tensor:
        return torch.where(x < 0, 2 * x, x)


class Rounds(nn.Module):
    """A drawing that is wrong between whole numbers."""

    def forward(self, x: Tensor) -> Tensor:
        return torch.floor(x + 0.5)


@pytest.mark.parametrize(
    ("node", "ours", "end"),
    [
        (helper.make_node("Identity", ["x"], ["y"]), Doubles(), " on normal values"),
        (helper.make_node("Round", ["x"], ["y"]), Rounds(), " on whole and half values"),
    ],
)
def test_a_drawing_that_is_wrong_for_some_numbers_differs(node: Any, ours: nn.Module, end: str):
    source = open_onnx(model([node], {}, ["N", 8]))
    first = file_verdicts(source, ours, {})[0]
    assert (first.equal, first.note[first.note.index(" on ") :]) == (False, end)


def test_a_size_that_a_file_was_not_rebuilt_for_is_not_tried():
    """Reduced from a file whose Resize takes other rows for other sizes."""
    node = helper.make_node(
        "Resize", ["x", "", "k"], ["y"], mode="nearest",
        coordinate_transformation_mode="half_pixel", nearest_mode="round_prefer_ceil",
    )  # fmt: skip
    by = np.array([1, 1, 1, 64 / 26], np.float32)
    source, found, ours = drawn([node], {"k": by}, ["N", 1, 1, 26])
    judged = {v.name: v for v in verdicts(source.module, ours, found.keys, source.shapes)}
    assert [judged[n].equal for n in ("the sample", "another batch")] == [True, True]
    assert judged["another image size"].equal is None
    assert judged["another image size"].note.startswith(
        "the file was rebuilt for the sizes of its sample: Resize y needs numbers"
    )


@pytest.mark.parametrize("op", ["Add", "Mul"])
def test_files_older_than_opset_seven_name_the_axis_of_their_operand(op: str):
    node = helper.make_node(op, ["x", "c"], ["y"], axis=1, broadcast=1)
    value = np.array([1.0, 10.0], np.float32)
    graph = helper.make_graph(
        [node], "old",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["N", 2, 3, 2])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["N", 2, 3, 2])],
        [numpy_helper.from_array(value, "c")],
    )  # fmt: skip
    file = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 6)], ir_version=8)
    source = open_onnx(file.SerializeToString())
    with torch.no_grad():
        result = source.module(torch.full((1, 2, 3, 2), 2.0))
    wanted = {"Add": [3.0] * 6 + [12.0] * 6, "Mul": [2.0] * 6 + [20.0] * 6}
    assert result.flatten().tolist() == wanted[op]
