"""A file in half precision may differ by what rounding explains, and by nothing more."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from torch import Tensor, nn

from core.export import ExportError
from core.export.agreement import EXACT, HALF, OutputsDiffer, compare_outputs
from core.export.parity import copy_module
from core.export.rounding import HALF_PRECISION, half, rounded
from core.export.run import export_subject
from core.export.subject import Subject, subject_of
from core.project.templates import load_template

pytestmark = pytest.mark.filterwarnings("ignore")


def thirds(batch: int) -> tuple[Tensor, ...]:
    return (torch.linspace(0.1, 1.0, 8 * batch).reshape(batch, 8),)


def deep(layers: int) -> nn.Sequential:
    torch.manual_seed(0)
    parts = (part for _ in range(layers) for part in (nn.Linear(8, 8), nn.Tanh()))
    return nn.Sequential(*parts).eval()


@pytest.mark.parametrize("layers", [1, 8, 64])
def test_a_network_that_torch_runs_in_half_agrees_at_any_depth(layers: int) -> None:
    net = deep(layers)
    small = copy_module(net).half()
    apart = compare_outputs(net, lambda x: small(x.half()).float(), thirds, precision=HALF)
    assert apart is not None
    assert 0 < apart < 2e-3
    with pytest.raises(OutputsDiffer):
        compare_outputs(net, lambda x: small(x.half()).float(), thirds, precision=EXACT)


WRONG: dict[str, Callable[[nn.Sequential, Tensor], Tensor]] = {
    "1 % more": lambda net, x: 1.01 * net(x),
    "an output moved by a hundredth": lambda net, x: net(x) + torch.eye(8)[3] * 0.01,
    "a layer less": lambda net, x: net[:-2](x),
    "an activation less": lambda net, x: net[:-1](x),
    "no negative values": lambda net, x: net(x.relu()),
}


@pytest.mark.parametrize("wrong", WRONG.values(), ids=WRONG)
def test_what_rounding_does_not_explain_is_refused(
    wrong: Callable[[nn.Sequential, Tensor], Tensor],
) -> None:
    net = deep(4)
    with pytest.raises(OutputsDiffer, match="rounding explains"):
        compare_outputs(net, lambda x: half(wrong(net, x)), thirds, precision=HALF)


def test_one_number_that_rounding_happens_to_keep_may_differ_as_its_neighbours_do() -> None:
    """Near 100, float16 has sixteenths: of x = 0.3126 it happens to lose 0.0001 only."""

    def cancels(x: Tensor) -> Tensor:
        return (100 + x) - 100

    def sample(batch: int) -> tuple[Tensor, ...]:
        return (torch.full((batch, 1), 0.3126),)

    def other(by: float) -> Callable[[Tensor], Tensor]:
        return lambda x: cancels(x) + by

    assert rounded(cancels, HALF_PRECISION)(*sample(1)).item() == 0.3125
    assert compare_outputs(cancels, other(1 / 16), sample, precision=HALF) is not None
    with pytest.raises(OutputsDiffer):
        compare_outputs(cancels, other(1 / 2), sample, precision=HALF)


def test_a_value_beyond_the_range_of_half_is_refused_on_samples_and_unknown_on_probes() -> None:
    def large(x: Tensor) -> Tensor:
        return x * 20_000  # 200,000 at ten times a sample

    assert compare_outputs(large, lambda x: half(large(x)), thirds, precision=HALF) is not None
    with pytest.raises(OutputsDiffer, match="gives inf"):
        compare_outputs(
            lambda x: 10 * large(x), lambda x: half(10 * large(x)), thirds, precision=HALF
        )


def test_values_that_an_operation_writes_into_or_looks_at_are_rounded_where_they_are() -> None:
    def writes(x: Tensor) -> Tensor:
        y = x.clone()
        y[:, 0].mul_(3)
        return y.view(2, 4).add_(y.shape[0])

    row = torch.full((1, 8), 1 / 3)
    third, more = 0.333251953125, 1.3330078125  # the nearest that float16 has
    assert half(row)[0, 0].item() == third
    found = rounded(writes, HALF_PRECISION)(row)
    assert found.tolist() == [[2.0, more, more, more], [more] * 4]
    assert row[0, 0].item() == torch.tensor(1 / 3).item()


@pytest.fixture(scope="module")
def iris() -> Subject:
    return subject_of(load_template("mlp_iris"))


@pytest.mark.gate
def test_a_half_file_of_a_network_with_one_weight_off_by_a_twentieth_is_refused(
    iris: Subject, tmp_path: Path
) -> None:
    other = copy_module(iris.module)
    with torch.no_grad():
        weight = max((p for p in other.parameters() if p.dim() == 2), key=lambda p: p.abs().max())
        weight.view(-1)[weight.abs().argmax()] *= 1.05
    wrong = replace(iris)
    wrong.__dict__["fixed"] = other
    with pytest.raises(ExportError, match="rounding explains"):
        export_subject(wrong, "onnx-half", tmp_path / "net")
    assert list(tmp_path.iterdir()) == []
    assert export_subject(iris, "onnx-half", tmp_path / "net").max_difference is not None
