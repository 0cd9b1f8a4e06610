"""ONNX files from outside: damaged ones, and odd weights beside them, are refused in words."""

import os
import random
from pathlib import Path

import onnx
import pytest
from onnx import TensorProto, helper

from core.common.errors import ImportRefused, NoSource
from core.wings.importing.onnx import open_onnx
from tests.wings.importing.onnx.onnx_files import model
from tests.wings.importing.onnx.onnx_files import random as random_values


def small() -> bytes:
    nodes = [helper.make_node("MatMul", ["x", "w"], ["a"]), helper.make_node("Relu", ["a"], ["y"])]
    return model(nodes, {"w": random_values(4, 3)}, ["N", 4])


def outside(folder: Path) -> Path:
    """A file whose weights lie beside it."""
    found = onnx.load_model_from_string(small())
    (tensor,) = found.graph.initializer
    (folder / "weights.bin").write_bytes(tensor.raw_data)
    tensor.ClearField("raw_data")
    tensor.data_location = TensorProto.EXTERNAL
    tensor.external_data.add(key="location", value="weights.bin")
    path = folder / "net.onnx"
    path.write_bytes(found.SerializeToString())
    return path


def test_weights_beside_the_file_are_read(tmp_path: Path):
    assert open_onnx(outside(tmp_path)).file.constants["w"].shape == (4, 3)


def test_weights_in_a_file_of_two_names_are_refused(tmp_path: Path):
    path = outside(tmp_path)
    os.link(tmp_path / "weights.bin", tmp_path / "other.bin")
    with pytest.raises(ImportRefused) as refused:
        open_onnx(path)
    assert str(refused.value) == (
        "net.onnx: keeps its weights in 'weights.bin', a file with 2 names (hard links), which may "
        "be one of another folder. Put a copy of it beside the file."
    )


@pytest.mark.parametrize("change", [{"offset": "5"}, {"length": "99999"}, {"offset": "x"},
                                    {"length": "-3"}, {"location": ""}])  # fmt: skip
def test_strange_places_of_weights_are_refused(tmp_path: Path, change: dict[str, str]):
    path = outside(tmp_path)
    found = onnx.load_model(path, load_external_data=False)
    for key, value in change.items():
        found.graph.initializer[0].external_data.add(key=key, value=value)
    path.write_bytes(found.SerializeToString())
    with pytest.raises((ImportRefused, NoSource)):
        open_onnx(path)


def test_a_damaged_file_is_opened_or_refused():
    good, rng, refused = small(), random.Random(3), 0
    for _ in range(60):
        broken = bytearray(good)
        for _ in range(rng.randrange(1, 4)):
            broken[rng.randrange(len(good))] = rng.randrange(256)
        try:
            open_onnx(bytes(broken[: rng.randrange(len(good) // 2, len(good) + 1)]))
        except ImportRefused:
            refused += 1
    assert refused > 30


def test_an_initializer_that_claims_more_than_it_holds_is_refused():
    found = onnx.load_model_from_string(small())
    found.graph.initializer[0].dims[:] = [1 << 20, 1 << 20]
    with pytest.raises(ImportRefused):
        open_onnx(found.SerializeToString())
