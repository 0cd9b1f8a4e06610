"""ONNX files that cannot be drawn are refused with the operation, its name and the reason."""

from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

from core.wings.importing import ImportRefused
from core.wings.importing.onnx import open_onnx
from tests.wings.importing.onnx.onnx_files import model, random


@pytest.mark.parametrize(
    ("node", "message"),
    [
        (helper.make_node("Det", ["x"], ["y"], "find"),
         "Det find: is an operation (Det) that has no block."),
        (helper.make_node("DFT", ["x"], ["y"], "waves"),
         "DFT waves: is an operation (DFT) that prepares audio, for which there are no blocks"),
        (helper.make_node("Resize", ["x", "", "by"], ["y"], "grow", mode="linear"),
         "Resize grow: resizes the number of samples."),
        (helper.make_node("GRU", ["x", "w", "w"], ["y"], "g", hidden_size=5),
         "GRU g: resets before the recurrent weights, but torch after them."),
    ],
)  # fmt: skip
def test_what_has_no_block_is_refused_with_operation_name_and_reason(node: Any, message: str):
    weights = {"by": np.array([2, 1, 2], dtype=np.float32), "w": random(1, 15, 5)}
    with pytest.raises(ImportRefused) as refused:
        open_onnx(model([node], weights, ["N", 3, 5]))
    assert str(refused.value).startswith(message)


def test_bytes_that_are_no_file_are_refused():
    with pytest.raises(ImportRefused, match="is not an ONNX file"):
        open_onnx(b"PK\x03\x04 not a network", name="zip.onnx")


def test_weights_outside_of_the_folder_are_refused(tmp_path: Path):
    (tmp_path / "secret.bin").write_bytes(b"\0" * 16)
    inner = tmp_path / "inner"
    inner.mkdir()
    found = onnx.load_model_from_string(
        model([helper.make_node("Add", ["x", "w"], ["y"])], {"w": random(4)}, ["N", 4])
    )
    (weight,) = found.graph.initializer
    weight.ClearField("raw_data")
    weight.data_location = TensorProto.EXTERNAL
    weight.external_data.add(key="location", value="../secret.bin")
    (inner / "net.onnx").write_bytes(found.SerializeToString())
    with pytest.raises(ImportRefused, match="not in its folder"):
        open_onnx(inner / "net.onnx")
    with pytest.raises(ImportRefused, match="has its weights in another file"):
        open_onnx(found.SerializeToString(), name="net.onnx")


def test_open_sizes_of_a_sample_are_asked_for():
    nodes = [helper.make_node("Relu", ["x"], ["y"])]
    with pytest.raises(ImportRefused, match="sample size is not fixed in the file"):
        open_onnx(model(nodes, {}, ["N", 3, "H", "W"]))
    assert open_onnx(model(nodes, {}, ["N", 3, "H", "W"]), [(3, 8, 8)]).shapes == ((3, 8, 8),)
