"""ONNX files of a few bytes whose results would take gigabytes, or a loop minutes, are refused."""

from pathlib import Path

import pytest

from core.common.errors import ImportRefused
from core.wings.importing.onnx import open_onnx
from core.wings.importing.onnx.constant_folding import fold_constants
from core.wings.importing.onnx.reader import read_onnx
from tests.wings.importing.onnx import swelling


@pytest.mark.parametrize(
    ("make", "node", "count"),
    [
        (swelling.doubled(34), "Concat y24", "134,217,728"),
        (swelling.doubled_constant, "Concat y25", "134,217,728"),
        (swelling.expanded("Expand", [1 << 20, 1 << 10, 1, 4]), "Expand out", "4,294,967,296"),
        (swelling.expanded("Tile", [1, 1 << 28]), "Tile out", "1,073,741,824"),
        (swelling.expanded("Pad", [0, 0, 0, 1 << 30]), "Pad out", "1,073,741,828"),
        (swelling.filled, "ConstantOfShape c", "1,099,511,627,776"),
    ],
)
def test_a_result_that_swells_is_refused_by_its_node(
    tmp_path: Path, make: swelling.Make, node: str, count: str
):
    with pytest.raises(ImportRefused) as refused:
        open_onnx(make(tmp_path))
    assert str(refused.value) == (
        f"net.onnx: has a node, {node}, whose result has {count} values, more than 67,108,864."
    )


def test_what_is_joined_a_few_times_is_opened(tmp_path: Path):
    source = open_onnx(swelling.doubled(3)(tmp_path))
    assert source.file.most == 1 << 26


def test_a_result_whose_size_is_not_inferred_is_refused_when_it_is_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("core.wings.importing.onnx.reader.check_results", lambda *_: 100)
    with pytest.raises(ImportRefused, match=r"Concat y4, whose result has 256 values, more than"):
        open_onnx(swelling.doubled(9)(tmp_path))


def test_many_large_results_are_refused_together(tmp_path: Path):
    wide = swelling.network(
        iter([("Tile", ["x", "n"], ["y0"], {}),
              *(("Relu", [f"y{i}"], [f"y{i + 1}"], {}) for i in range(9))]),
        {"n": [1, 1 << 24]}, "y9",
    )  # fmt: skip
    with pytest.raises(ImportRefused, match="results of 671,088,640 values together, more than 5"):
        open_onnx(wide(tmp_path))


def test_a_loop_is_not_calculated_in_advance(tmp_path: Path):
    file = fold_constants(read_onnx(swelling.looped(tmp_path)))
    assert [node.op for node in file.nodes] == ["Loop", "Cast", "Add"]
