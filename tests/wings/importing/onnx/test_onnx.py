"""ONNX files become drawings that compute what the file computes."""

import functools
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import torch
from onnx import TensorProto, helper, numpy_helper

from core.analyse import analyse, build
from core.export import quality
from core.export.run import export
from core.project import open_project, read_text, write_text
from core.wings.importing import ImportedModel, ImportRefused, import_module
from core.wings.importing.onnx import OnnxSource, open_onnx
from core.wings.importing.onnx.check import file_verdicts
from core.wings.importing.tracing.recorder import record
from tests.wings.importing.onnx.onnx_files import model, random

PROJECTS = Path(__file__).parents[4] / "projects"
TEMPLATES = sorted(p.name.removesuffix(".loom.json") for p in PROJECTS.glob("*.loom.json"))
SAME = ("autoencoder_digits", "mlp_iris", "regression_diabetes", "densenet_digits")
"""Templates of which the export loses nothing, as it does folded BatchNorm and dropout."""


def drawn(source: OnnxSource) -> tuple[ImportedModel, str]:
    """Import, write, open, and generate the source."""
    found = import_module(source.module, source.shapes, source.name, source.dtypes)
    project = read_text(write_text(found.project))
    report = analyse(project.graph, project.name)
    assert report.source, report.errors
    return found, report.source


def judged(source: OnnxSource) -> dict[str, bool | None]:
    found, text = drawn(source)
    return {v.name: v.equal for v in file_verdicts(source, build(text), found.keys)}


@functools.cache
def exported(name: str, folder: Path) -> Path:
    out = folder / f"{name}.onnx"
    export(open_project(PROJECTS / f"{name}.loom.json"), "onnx", out)
    return out


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    torch.set_num_threads(1)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(quality, "MOST_TIMES", 1)  # what is measured has tests of its own
        patch.setattr(quality, "MOST", 64)
        yield tmp_path_factory.mktemp("onnx")


@pytest.mark.slow(keep=["lenet_digits", "gru_digits"])
@pytest.mark.parametrize("name", TEMPLATES)
def test_a_template_comes_back_equal_from_its_onnx_export(name: str, folder: Path):
    found = judged(open_onnx(exported(name, folder)))
    assert found["the sample"] is True
    assert found["another batch"] is True
    assert found["one training step"] is True


def test_all_templates_are_tried():
    assert len(TEMPLATES) >= 32


def test_what_a_file_draws_at_random_is_drawn_and_compared_on_the_same_numbers():
    nodes = [
        helper.make_node("RandomNormalLike", ["x"], ["noise"]),
        helper.make_node("RandomUniformLike", ["x"], ["other"]),
        helper.make_node("Mul", ["noise", "other"], ["both"]),
        helper.make_node("Add", ["x", "both"], ["y"]),
    ]
    source = open_onnx(model(nodes, {}, ["N", 4]))
    found, text = drawn(source)
    blocks = [node.block for node in found.project.graph.nodes.values()]
    assert blocks == ["Input", "randn_like", "rand_like", "mul", "add", "Output"]
    first, second, *_ = file_verdicts(source, build(text), found.keys)
    note = "as onnxruntime computes it, to 1e-5, on the same random numbers"
    assert (first.equal, first.note, second.equal) == (True, note, True)


def test_random_numbers_that_torch_would_not_draw_are_refused():
    wide = [helper.make_node("RandomNormalLike", ["x"], ["y"], scale=2.0)]
    with pytest.raises(ImportRefused, match="draws random numbers with another standard deviation"):
        open_onnx(model(wide, {}, ["N", 4]))


@pytest.mark.slow
@pytest.mark.parametrize("name", SAME)
def test_a_template_comes_back_as_the_same_source(name: str, folder: Path):
    project = open_project(PROJECTS / f"{name}.loom.json")
    expected = analyse(project.graph, project.name).source
    _, text = drawn(open_onnx(exported(name, folder)))
    assert expected
    assert text.splitlines()[1:] == expected.splitlines()[1:]


def test_names_with_slashes_become_composites():
    nodes = [
        helper.make_node("Conv", ["x", "a.conv.weight"], ["h1"], "/a/conv/Conv", pads=[1] * 4),
        helper.make_node("Relu", ["h1"], ["h2"], "/a/act/Relu"),
        helper.make_node("Conv", ["h2", "b.conv.weight"], ["h3"], "/b/conv/Conv", pads=[1] * 4),
        helper.make_node("Relu", ["h3"], ["y"], "/b/act/Relu"),
    ]
    weights = {"a.conv.weight": random(4, 3, 3, 3), "b.conv.weight": random(4, 4, 3, 3)}
    source = open_onnx(model(nodes, weights, ["N", 3, 8, 8]))
    found, text = drawn(source)
    assert list(build(text).state_dict()) == ["a.conv.weight", "b.conv.weight"]
    assert [n.block for n in found.project.graph.nodes.values()] == ["Input", "A", "B", "Output"]
    assert judged(source) == dict.fromkeys(
        ("the sample", "another batch", "another image size", "one training step"), True
    )


def test_results_whose_names_are_numbers_all_come_out():
    infos = [helper.make_tensor_value_info(n, TensorProto.FLOAT, ["N", 4]) for n in "x12"]
    nodes = [helper.make_node("Relu", ["x"], ["1"]), helper.make_node("Neg", ["x"], ["2"])]
    graph = helper.make_graph(nodes, "Made", infos[:1], infos[1:])
    opsets = [helper.make_opsetid("", 18)]
    made = helper.make_model(graph, opset_imports=opsets, ir_version=8)
    source = open_onnx(made.SerializeToString())
    found, _ = drawn(source)
    assert [*found.project.graph.of_block("Output")] == ["output", "output2"]
    assert judged(source)["the sample"] is True


def test_the_lowest_float32_stays_the_lowest_float32():
    nodes = [
        helper.make_node("Less", ["x", "zero"], ["m"]),
        helper.make_node("Where", ["m", "lowest", "zero"], ["h"]),
        helper.make_node("Add", ["x", "h"], ["y"]),
    ]
    weights = {"zero": np.float32(0), "lowest": np.finfo(np.float32).min}
    source = open_onnx(model(nodes, weights, ["N", 4]))
    _, text = drawn(source)
    assert "torch.where(x, -3.4028234663852886e+38, 0.0)" in text
    assert list(build(text).parameters()) == []
    assert judged(source)["the sample"] is True


def test_a_matrix_that_an_exporter_copied_is_one_layer_used_twice():
    weight = random(4, 4)
    nodes = [
        helper.make_node("MatMul", ["x", "val_1"], ["h"]),
        helper.make_node("Tanh", ["h"], ["t"]),
        helper.make_node("MatMul", ["t", "val_2"], ["y"]),
    ]
    source = open_onnx(model(nodes, {"val_1": weight, "val_2": weight.copy()}, ["N", 4]))
    _, text = drawn(source)
    assert [tuple(p.shape) for p in build(text).parameters()] == [(4, 4)]
    assert judged(source)["one training step"] is True


def test_zeros_over_the_batch_beside_whole_numbers_are_fractions():
    nodes = [
        helper.make_node("Gather", ["table", "x"], ["e"]),
        helper.make_node("Shape", ["x"], ["n"], start=0, end=1),
        helper.make_node("Concat", ["n", "five"], ["to"], axis=0),
        helper.make_node("Expand", ["half", "to"], ["h"]),
        helper.make_node("Add", ["e", "h"], ["y"]),
    ]
    infos = [helper.make_tensor_value_info("x", TensorProto.INT64, ["N", 3])]
    outs = [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["a", "b", "c"])]
    values = {"table": random(7, 5), "five": np.array([1, 5]), "half": np.float32(0.5)}
    tensors = [numpy_helper.from_array(np.array(v), n) for n, v in values.items()]
    graph = helper.make_graph(nodes, "Made", infos, outs, tensors)
    opsets = [helper.make_opsetid("", 18)]
    made = helper.make_model(graph, opset_imports=opsets, ir_version=8)
    found = judged(open_onnx(made.SerializeToString()))
    assert (found["the sample"], found["another batch"]) == (True, True)


def test_a_run_of_one_sample_decides_nothing_for_more():
    nodes = [
        helper.make_node("Transpose", ["x"], ["t"], perm=[1, 0, 2]),
        helper.make_node("Reshape", ["t", "joined"], ["j"]),
        helper.make_node("MatMul", ["j", "w"], ["m"]),
        helper.make_node("Reshape", ["m", "apart"], ["a"]),
        helper.make_node("Transpose", ["a"], ["y"], perm=[1, 0, 2]),
    ]
    weights = {"w": random(4, 4), "joined": np.array([-1, 4]), "apart": np.array([3, -1, 4])}
    found = judged(open_onnx(model(nodes, weights, ["N", 3, 4])))
    assert [found[n] for n in ("the sample", "another batch", "one training step")] == [True] * 3


def test_the_largest_numbers_are_a_sort_only_where_their_places_are_read():
    both = [helper.make_node("TopK", ["x", "k"], ["values", "places"])]
    alone = [*both, helper.make_node("Neg", ["values"], ["y"])]
    read = [*both, helper.make_node("Cast", ["places"], ["y"], to=TensorProto.FLOAT)]
    for nodes, expected in ((alone, "torch.topk(image, 2)"), (read, "stable=True")):
        source = open_onnx(model(nodes, {"k": np.array([2])}, ["N", 3, 4, 5]))
        _, text = drawn(source)
        assert expected in text
        assert judged(source)["the sample"] is True


def test_a_resize_that_torch_has_not_is_a_matrix_for_one_size():
    nodes = [helper.make_node("Resize", ["x", "", "by"], ["y"], "grow", mode="linear",
                              coordinate_transformation_mode="asymmetric")]  # fmt: skip
    source = open_onnx(model(nodes, {"by": np.float32([1, 1, 1, 1.5])}, ["N", 3, 4, 6]))
    found, _ = drawn(source)
    blocks = [n.block for n in found.project.graph.nodes.values()]
    assert blocks == ["Input", "Buffer", "matmul", "Output"]
    assert [*source.module.plan.fixed] == ["Resize grow resizes a size of 6 to 9"]
    assert (judged(source)["the sample"], judged(source)["another batch"]) == (True, True)


def test_a_refusal_in_the_drawing_names_the_node_of_the_file():
    nodes = [helper.make_node("Max", ["x", "k"], ["y"], "most")]
    many = {"k": np.arange(5000, dtype=np.int64)}
    infos = [helper.make_tensor_value_info("x", TensorProto.INT64, ["N", 5000])]
    outs = [helper.make_tensor_value_info("y", TensorProto.INT64, ["N", 5000])]
    tensors = [numpy_helper.from_array(v, n) for n, v in many.items()]
    graph = helper.make_graph(nodes, "Made", infos, outs, tensors)
    opsets = [helper.make_opsetid("", 18)]
    made = helper.make_model(graph, opset_imports=opsets, ir_version=8)
    source = open_onnx(made.SerializeToString())
    run = record(source.module, [torch.zeros(2, 5000, dtype=torch.int64)])
    (step,) = [s for s in run.root.steps() if s.name == "maximum"]
    assert step.place == "Max most"


def test_padding_on_one_side_becomes_a_pad_block():
    nodes = [helper.make_node("Conv", ["x", "w"], ["y"], pads=[0, 1, 1, 2])]
    source = open_onnx(model(nodes, {"w": random(4, 3, 3, 3)}, ["N", 3, 8, 8]))
    found, _ = drawn(source)
    blocks = [n.block for n in found.project.graph.nodes.values()]
    assert blocks == ["Input", "pad", "Conv2d", "Output"]
    assert judged(source)["the sample"] is True


def test_sizes_calculated_from_shape_stay_sizes():
    nodes = [
        helper.make_node("Shape", ["x"], ["s"]),
        helper.make_node("Gather", ["s", "zero"], ["n"], axis=0),
        helper.make_node("Gather", ["s", "two"], ["h"], axis=0),
        helper.make_node("Div", ["h", "half"], ["h2"]),
        helper.make_node("Unsqueeze", ["n", "zeros"], ["n1"]),
        helper.make_node("Unsqueeze", ["h2", "zeros"], ["h1"]),
        helper.make_node("Concat", ["n1", "minus", "h1"], ["to"], axis=0),
        helper.make_node("Reshape", ["x", "to"], ["y"]),
    ]
    weights = {"zero": 0, "two": 2, "half": 2, "zeros": [0], "minus": [-1]}
    source = open_onnx(model(nodes, weights, ["N", 4, "H", "W"], 3), [(4, 8, 6)])
    assert judged(source)["another batch"] is True
    assert judged(source)["another image size"] is True


def test_a_file_made_for_one_sample_is_drawn_for_any_number():
    nodes = [
        helper.make_node("Reshape", ["x", "to"], ["h"]),
        helper.make_node("Gemm", ["h", "fc.weight", "fc.bias"], ["y"], transB=1),
    ]
    weights = {"to": [1, 12], "fc.weight": random(5, 12), "fc.bias": random(5)}
    source = open_onnx(model(nodes, weights, [1, 3, 2, 2], 2))
    assert source.notes == ("the file is made for 1 at a time, the drawing for any number",)
    assert judged(source)["the sample"] is True
    assert judged(source)["another batch"] is True


@pytest.mark.gate
@pytest.mark.parametrize("way", ["forward", "reverse", "bidirectional"])
@pytest.mark.parametrize(("op", "gates"), [("LSTM", 4), ("GRU", 3), ("RNN", 1)])
def test_recurrent_layers_get_their_gates_in_torch_s_order(op: str, gates: int, way: str):
    ways = 2 if way == "bidirectional" else 1
    weights = {"w": random(ways, gates * 5, 6), "r": random(ways, gates * 5, 5),
               "b": random(ways, 2 * gates * 5)}  # fmt: skip
    settings = {"hidden_size": 5, "direction": way}
    if op == "GRU":
        settings["linear_before_reset"] = 1
    nodes = [
        helper.make_node("Transpose", ["x"], ["t"], perm=[1, 0, 2]),
        helper.make_node(op, ["t", "w", "r", "b"], ["h"], **settings),
        helper.make_node("Transpose", ["h"], ["y"], perm=[2, 0, 1, 3]),
    ]
    source = open_onnx(model(nodes, weights, ["N", 7, 6], 4))
    assert judged(source)["the sample"] is True
