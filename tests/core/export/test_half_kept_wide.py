"""Where ONNX Runtime crashes on float16, the operator that does it stays in float32."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import onnx
import pytest
import torch
from onnx import TensorProto, helper, numpy_helper

from core.export import ExportError, onnx_low_precision
from core.export.onnx_low_precision import crashes

pytestmark = pytest.mark.filterwarnings("ignore")
INPUTS = (torch.ones(2, 3),)


def network() -> bytes:
    """x @ w, then Relu and Softmax, of three numbers."""
    nodes = [
        helper.make_node("MatMul", ["x", "w"], ["a"]),
        helper.make_node("Relu", ["a"], ["b"]),
        helper.make_node("Softmax", ["b"], ["y"]),
    ]
    ends = [helper.make_tensor_value_info(name, TensorProto.FLOAT, ["N", 3]) for name in "xy"]
    weight = numpy_helper.from_array(np.eye(3, dtype=np.float32), "w")
    graph = helper.make_graph(nodes, "g", ends[:1], ends[1:], [weight])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])
    model.ir_version = 8
    return model.SerializeToString()


def crashing(monkeypatch: pytest.MonkeyPatch, *answers: bool) -> None:
    left: Iterator[bool] = iter(answers)
    monkeypatch.setattr(onnx_low_precision, "crashes", lambda *_: next(left))


def test_nothing_stays_wide_where_nothing_crashes(monkeypatch: pytest.MonkeyPatch) -> None:
    crashing(monkeypatch, False)
    content, wide = onnx_low_precision._half_that_runs(network(), INPUTS)
    assert wide == []
    kinds = [each.data_type for each in onnx.load_from_string(content).graph.initializer]
    assert kinds == [TensorProto.FLOAT16]


def test_operators_are_kept_wide_one_by_one_until_it_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    crashing(monkeypatch, True, True, False)
    assert onnx_low_precision._half_that_runs(network(), INPUTS)[1] == ["Relu"]


def test_where_none_helps_all_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    crashing(monkeypatch, *[True] * 4)
    with pytest.raises(ExportError, match=r"crashes on this network .*: MatMul, Relu, Softmax"):
        onnx_low_precision._half_that_runs(network(), INPUTS)


@pytest.mark.slow
def test_a_crash_in_the_other_process_is_noticed_and_an_error_is_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert not crashes(network(), INPUTS)
    assert not crashes(b"no network", INPUTS)
    crash = tmp_path / "crash.py"
    crash.write_text("import os\nos.kill(os.getpid(), 11)\n", "utf-8")
    monkeypatch.setattr(onnx_low_precision, "LOAD", crash)
    assert crashes(network(), INPUTS)
