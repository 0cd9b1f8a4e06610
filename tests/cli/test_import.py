"""`layerloom import` on a file: project and weights side by side, refusals as one sentence."""

import json
from pathlib import Path

import numpy as np
import pytest
from onnx import TensorProto, helper, numpy_helper

from app.cli import main
from core.project import open_project


def relu_net(path: Path, op: str = "Relu") -> Path:
    infos = [helper.make_tensor_value_info(n, TensorProto.FLOAT, ["N", 4]) for n in "xy"]
    nodes = [
        helper.make_node("Gemm", ["x", "fc.weight", "fc.bias"], ["h"], transB=1),
        helper.make_node(op, ["h"], ["y"], "act"),
    ]
    weights = {"fc.weight": np.eye(4, dtype=np.float32), "fc.bias": np.ones(4, np.float32)}
    tensors = [numpy_helper.from_array(v, n) for n, v in weights.items()]
    graph = helper.make_graph(nodes, "Small", infos[:1], infos[1:], tensors)
    opsets = [helper.make_opsetid("", 18)]
    path.write_bytes(helper.make_model(graph, opset_imports=opsets).SerializeToString())
    return path


@pytest.mark.parametrize("prefix", ["", "onnx:"])
def test_an_onnx_file_becomes_a_project_with_its_weights(
    prefix: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    out = tmp_path / "small.loom.json"
    source = f"{prefix}{relu_net(tmp_path / 'small.onnx')}"
    assert main(["import", source, "-o", str(out), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert [v["equal"] for v in told["verdicts"]] == [True, True, None, True]
    blocks = [node.block for node in open_project(out).graph.nodes.values()]
    assert blocks == ["Input", "Linear", "ReLU", "Output"]
    assert Path(told["weights"]).stat().st_size > 80


def test_an_operation_without_a_block_is_refused_by_its_name(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    source = str(relu_net(tmp_path / "odd.onnx", "Acosh"))
    assert main(["import", source, "-o", str(tmp_path / "odd.loom.json")]) == 1
    assert "an operation (Acosh) for which there is no block" in capsys.readouterr().err
    assert not (tmp_path / "odd.loom.json").exists()
