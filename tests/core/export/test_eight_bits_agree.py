"""A file in 8 bits may differ by what its rounding explains, and by nothing more."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import onnx
import pytest
import torch
from onnx import numpy_helper
from torch import Tensor, nn

from core.export import ExportError, onnx_low_precision
from core.export.agreement import EIGHT_BITS, OutputsDiffer, calibrated, compare_outputs
from core.export.eight_bits import dynamic, static
from core.export.parity import copy_module
from core.export.run import export_subject
from core.export.subject import Subject, subject_of
from core.project.templates import load_template

pytestmark = pytest.mark.filterwarnings("ignore")


def rows(batch: int, seed: int = 0) -> tuple[Tensor, ...]:
    return (torch.randn(batch, 8, generator=torch.Generator().manual_seed(seed + batch)),)


def layers(count: int) -> nn.Sequential:
    torch.manual_seed(0)
    parts = (part for _ in range(count) for part in (nn.Linear(8, 8), nn.Tanh()))
    return nn.Sequential(*parts, nn.Linear(8, 8)).eval()


PRECISIONS = {"dynamic": EIGHT_BITS, "calibrated": calibrated(rows(64, 7))}


@pytest.mark.parametrize("precision", PRECISIONS.values(), ids=PRECISIONS)
@pytest.mark.parametrize("count", [1, 8])
def test_the_network_in_8_bits_agrees_at_any_depth(count: int, precision: Any) -> None:
    net = layers(count)
    small = torch.ao.quantization.quantize_dynamic(net, {nn.Linear}, dtype=torch.qint8)
    apart = compare_outputs(net, small, rows, precision=precision)
    assert apart is not None
    assert 0 < apart < 0.2


def scaled(net: nn.Sequential, place: int, by: float) -> nn.Sequential:
    other = nn.Sequential(*copy_module(net).children()).eval()
    with torch.no_grad():
        next(other[place].parameters()).mul_(by)
    return other


WRONG: dict[str, Callable[[nn.Sequential], Callable[[Tensor], Tensor]]] = {
    "one layer's weights times 1.5": lambda net: scaled(net, 2, 1.5),
    "one layer's weights times 0.7": lambda net: scaled(net, 2, 0.7),
    "a layer less": lambda net: net[:-2],
    "an activation less": lambda net: nn.Sequential(*net[:1], *net[2:]),
    "no negative values": lambda net: lambda x: net(x.relu()),
    "an eighth more": lambda net: lambda x: 1.125 * net(x),
}


@pytest.mark.parametrize("precision", PRECISIONS.values(), ids=PRECISIONS)
@pytest.mark.parametrize("wrong", WRONG.values(), ids=WRONG)
def test_what_rounding_does_not_explain_is_refused(
    wrong: Callable[[nn.Sequential], Callable[[Tensor], Tensor]], precision: Any
) -> None:
    net = layers(3)
    with pytest.raises(OutputsDiffer, match="rounding explains"):
        compare_outputs(net, wrong(net), rows, precision=precision)


def test_weights_have_129_levels_and_values_256() -> None:
    net = nn.Linear(1, 2, bias=False).eval()
    with torch.no_grad():
        net.weight.copy_(torch.tensor([[1.0], [0.3]]))
        one = torch.ones(1, 1)
        assert dynamic(net)(0)(one).tolist() == [[1.0, 19 / 64]]
        inputs = (torch.tensor([[0.0], [2.0]]),)
        found = static(net, inputs)(0)(torch.tensor([[0.3], [9.0]]))
    step = 2 / 255  # of the input and of the output, between 0 and 2
    assert found[0].tolist() == pytest.approx([38 * step, round(38 * 0.3) * step])
    assert found[1].tolist() == pytest.approx([2.0, 0.6 // step * step], abs=step)


def test_values_that_are_not_finite_stay_as_they_are() -> None:
    mask = torch.tensor([[-torch.inf, 0.5], [torch.inf, 1.0]])
    found = static(lambda x: x + 0, (mask,))(0)(mask)
    assert found[0, 0].item() == -torch.inf
    assert found[1].tolist() == [torch.inf, 1.0]


@pytest.fixture(scope="module")
def iris() -> Subject:
    return subject_of(load_template("mlp_iris"))


def with_a_wrong_layer(content: bytes) -> bytes:
    """The file with the weights of one of its layers times 1.5."""
    model = onnx.load_from_string(content)
    name = next(
        i.name for i in model.graph.initializer
        if i.name.endswith("_scale") and "weight" in i.name
    )  # fmt: skip
    for initializer in model.graph.initializer:
        if initializer.name == name:
            value = numpy_helper.to_array(initializer) * 1.5
            initializer.CopyFrom(numpy_helper.from_array(value.astype("float32"), name))
    return model.SerializeToString()


@pytest.mark.gate
def test_an_8_bit_file_with_one_layer_of_wrong_weights_is_refused(
    iris: Subject, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = onnx_low_precision._dynamic
    with monkeypatch.context() as patch:
        patch.setattr(onnx_low_precision, "_dynamic", lambda whole: with_a_wrong_layer(made(whole)))
        with pytest.raises(ExportError, match="rounding explains"):
            export_subject(iris, "onnx-int8", tmp_path / "net")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.gate
def test_where_the_calibrated_file_is_wrong_the_dynamic_one_is_kept(
    iris: Subject, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = onnx_low_precision._static
    with monkeypatch.context() as patch:
        patch.setattr(onnx_low_precision, "_static", lambda *all: with_a_wrong_layer(made(*all)))
        with pytest.raises(OutputsDiffer, match="rounding explains"):
            onnx_low_precision.make_static(iris)
        found = export_subject(iris, "onnx-int8", tmp_path / "net")
    assert found.note.endswith("values quantised at run time (dynamic)")
    found = export_subject(iris, "onnx-int8", tmp_path / "net")
    assert found.note.endswith("calibrated on 120 training samples")
