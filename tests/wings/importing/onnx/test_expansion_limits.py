"""Small ONNX files that would take all memory or time, or read other files, are refused."""

import resource
import time
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import ModelProto, TensorProto, helper

from core.wings.importing import ImportRefused, limits
from core.wings.importing.limits import reading_limit
from core.wings.importing.onnx import open_onnx, reader
from tests.wings.importing.onnx.onnx_files import model, random

OPSETS = [helper.make_opsetid("", 20), helper.make_opsetid("f", 1)]


def twice(name: str, inner: str, domain: str, times: int = 2) -> Any:
    """A function that calls another, one result after the other."""
    wires = ["x", *(f"y{i}" for i in range(times))]
    nodes = [helper.make_node(inner, [wires[i]], [wires[i + 1]], domain=domain)
             for i in range(times)]  # fmt: skip
    return helper.make_function("f", name, ["x"], [wires[-1]], nodes, OPSETS)


def calling(name: str, functions: list[Any]) -> bytes:
    found = onnx.load_model_from_string(
        model([helper.make_node(name, ["x"], ["y"], domain="f")], {}, ["N", 4])
    )
    del found.opset_import[:]
    found.opset_import.extend(OPSETS)
    found.functions.extend(functions)
    return found.SerializeToString()


def refused(content: bytes | Path) -> ImportRefused:
    with pytest.raises(ImportRefused) as error:
        open_onnx(content, name="net.onnx")
    return error.value


@pytest.mark.parametrize(("levels", "count"), [(18, "524,288"), (40, "2,199,023,255,552"),
                                               (99, "countless")])  # fmt: skip
def test_functions_are_counted_before_they_are_written_out(levels: int, count: str):
    functions = [twice("f0", "Relu", "")]
    functions += [twice(f"f{i}", f"f{i - 1}", "f") for i in range(1, levels + 1)]
    content = calling(f"f{levels}", functions)
    assert len(content) < 12_000
    began = time.process_time()
    error = refused(content)
    assert time.process_time() - began < 5
    assert error.message == f"has {count} nodes, more than the 50,000 that can be drawn."


def test_functions_that_call_themselves_or_many_others_are_refused():
    for functions in (
        [twice("f0", "f0", "f")],
        [twice("f0", "f1", "f"), twice("f1", "f0", "f")],
        [twice(f"f{i}", f"f{i + 1}", "f", 1) for i in range(3000)] + [twice("f3000", "Relu", "")],
    ):
        message = refused(calling("f0", functions)).message
        assert message == "has functions that call each other more than 100 deep, or without end."


def test_functions_as_exporters_write_them_are_read():
    functions = [
        twice("f0", "Relu", ""),
        *(twice(f"f{i}", f"f{i - 1}", "f", 1) for i in range(1, 90)),
    ]
    assert len(open_onnx(calling("f89", functions)).file.nodes) == 2


def outside(tensor: TensorProto, place: str) -> TensorProto:
    for name in ("raw_data", "float_data"):
        tensor.ClearField(name)
    tensor.data_location = TensorProto.EXTERNAL
    tensor.external_data.add(key="location", value=place)
    return tensor


def loaded(content: bytes) -> ModelProto:
    return onnx.load_model_from_string(content)


def with_constant(place: str, inside: str) -> bytes:
    value = outside(helper.make_tensor("v", TensorProto.FLOAT, [4], [1, 2, 3, 4]), place)
    constant = helper.make_node("Constant", [], ["c"], value=value)
    nodes = [constant, helper.make_node("Add", ["x", "c"], ["y"])]
    if inside == "graph":
        return model(nodes, {}, ["N", 4])
    if inside == "function":
        return calling("g", [helper.make_function("f", "g", ["x"], ["y"], nodes, OPSETS)])
    result = [helper.make_tensor_value_info("c", TensorProto.FLOAT, [4])]
    branch = helper.make_graph(
        [helper.make_node("Identity", ["w"], ["c"])] if inside == "weight" else [constant],
        "b", [], result, [value] if inside == "weight" else [],
    )  # fmt: skip
    if inside == "weight":
        branch.initializer[0].name = "w"
    choice = helper.make_node("If", ["k"], ["d"], then_branch=branch, else_branch=branch)
    last = helper.make_node("Add", ["x", "d"], ["y"])
    return model([choice, last], {"k": np.array(True)}, ["N", 4])


@pytest.mark.parametrize("inside", ["graph", "function", "branch", "weight"])
@pytest.mark.parametrize("place", ["secret.bin", "../secret.bin"])
def test_a_constant_is_read_of_no_other_file(
    inside: str, place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    inner = tmp_path / "inner"
    inner.mkdir()
    for folder in (inner, tmp_path):
        (folder / "secret.bin").write_bytes(np.full(4, 7, np.float32).tobytes())
    monkeypatch.chdir(inner)
    content = with_constant(place, inside)
    (inner / "net.onnx").write_bytes(content)
    for source in (content, inner / "net.onnx"):
        assert refused(source).message == "has a constant whose values lie in another file."


def test_further_files_count_as_often_as_they_are_read(tmp_path: Path):
    found = loaded(model([helper.make_node("Add", ["x", "w"], ["y"])], {"w": random(4)}, ["N", 4]))
    with (tmp_path / "w.bin").open("wb") as file:
        file.truncate(3 << 30)  # a file of 3 GB that takes no room
    outside(found.graph.initializer[0], "w.bin")
    (tmp_path / "net.onnx").write_bytes(found.SerializeToString())
    assert refused(tmp_path / "net.onnx").message == "has more than 2147483647 bytes of weights."


@pytest.mark.parametrize("dims", [[10**12], [-4], [2**62, 4], [5]])
def test_weights_of_other_sizes_than_they_say_are_refused(dims: list[int]):
    found = loaded(model([helper.make_node("Add", ["x", "w"], ["y"])], {"w": random(4)}, ["N", 4]))
    del found.graph.initializer[0].dims[:]
    found.graph.initializer[0].dims.extend(dims)
    assert "\n" not in refused(found.SerializeToString()).message


GROWING = {
    "doubles": lambda i: helper.make_node("Concat", [f"c{i}", f"c{i}"], [f"c{i + 1}"], axis=0),
    "tiles": lambda i: helper.make_node("Tile", [f"c{i}", "n"], [f"c{i + 1}"]),
}


@pytest.mark.slow
@pytest.mark.parametrize("kind", GROWING)
def test_constants_that_grow_stay_below_the_memory_for_the_file(
    kind: str, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(limits, "ROOM", 1 << 29)
    monkeypatch.setattr(reader, "check_results", lambda *_: 1 << 40)  # as if nothing were inferred
    before = resource.getrlimit(resource.RLIMIT_DATA)
    nodes = [GROWING[kind](i) for i in range(45)]
    nodes += [helper.make_node("ReduceSum", ["c45"], ["s"], keepdims=0),
              helper.make_node("Add", ["x", "s"], ["y"])]  # fmt: skip
    content = model(nodes, {"c0": random(2), "n": np.array([2])}, ["N", 4])
    assert "GB of memory to read" in refused(content).message
    assert resource.getrlimit(resource.RLIMIT_DATA) == before


def test_what_takes_too_long_ends_in_a_sentence():
    def read() -> None:
        with reading_limit("net.onnx", 0, seconds=0.05):
            while True:
                try:
                    time.sleep(0.01)
                except Exception:  # as code on the way may do: the end of the time is none
                    continue

    with pytest.raises(ImportRefused, match=r"net.onnx: takes more than 0 minutes to read"):
        read()


@pytest.mark.slow
def test_damaged_files_are_read_or_refused_in_words():
    dice = Random(0)
    nodes = [helper.make_node("MatMul", ["x", "w"], ["a"]), helper.make_node("Relu", ["a"], ["b"]),
             helper.make_node("Reshape", ["b", "s"], ["y"])]  # fmt: skip
    content = model(nodes, {"w": random(4, 6), "s": np.array([-1, 2, 3])}, ["N", 4])
    became: list[str] = []
    for _ in range(600):
        damaged = bytearray(content)
        for _ in range(dice.choice((1, 1, 2, 4))):
            place = dice.randrange(len(damaged))
            damaged[place : place + dice.randrange(2)] = bytes([dice.randrange(256)])
        try:
            open_onnx(bytes(damaged), name="net.onnx")
            became.append("")
        except ImportRefused as error:
            became.append(error.message)
    assert all("\n" not in message for message in became)
    assert became.count("") > 50
    assert became.count("") < 550
