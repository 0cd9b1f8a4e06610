"""Classes that a block of own Python can begin with: operators, and ways that values decide."""

from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from core.analyse import analyse, build
from core.analyse.report import Report
from core.export.operators import own_operators
from core.export.result import ExportError
from core.export.run import export_subject
from core.export.subject import Subject
from core.files.trust import trust
from core.graph.python import composite_of, faults
from core.graph.python_examples import EXAMPLES, text_of
from tests.core.drawing import chain

COMPILED = pytest.mark.needs("g++", "ninja")
TITLES = [
    pytest.param(t, marks=(COMPILED, pytest.mark.slow) if "C++" in t else ()) for t in EXAMPLES
]
WIDTHS = {"Fork and wait": 16}


def drawn(title: str, change: tuple[str, str] = ("", "")) -> tuple[Report, nn.Module]:
    """A Linear and the block behind it, analysed and built."""
    name, text = EXAMPLES[title].name, text_of(title).strip().replace(*change)
    assert faults(name, text) == ()
    trust(text, name)
    graph = chain(
        ("x", ("Input", {"shape": (6,)})), ("fc1", ("Linear", {"out_features": 6})),
        ("own1", name), ("y", "Output"), composites={name: composite_of(name, text)},
    )  # fmt: skip
    report = analyse(graph, "Net")
    assert report.errors == ()
    assert text in (report.source or "")
    torch.manual_seed(0)
    return report, build(report.source or "")


def ways(module: nn.Module) -> tuple[Tensor, Tensor]:
    """Inputs that bring a high mean to the block, and a low one."""
    with torch.no_grad():
        module.get_submodule("fc1").weight.copy_(torch.eye(6))  # type: ignore[operator]
    return torch.rand(4, 6) + 2, -torch.rand(4, 6) - 2


def of(report: Report, module: nn.Module) -> Subject:
    """What is exported: batches of both ways."""
    both = ways(module)

    def sample(batch: int) -> tuple[Tensor]:
        return (both[batch % 2][:1].repeat(batch, 1),)

    return Subject(module.eval(), report.source or "", report.class_name, dict(report.inputs),
                   ("y",), sample)  # fmt: skip


@pytest.mark.gate
@pytest.mark.parametrize("title", TITLES)
def test_it_is_analysed_by_its_fake_kernel_and_learns_on_both_ways(title: str) -> None:
    report, module = drawn(title)
    assert report.nodes["own1"].outputs["output"].shape[1:] == (WIDTHS.get(title, 6),)
    for x in ways(module):
        module.zero_grad()
        module(x).sum().backward()
        weight: Any = module.get_submodule("fc1").weight
        assert weight.grad.abs().sum() > 0


@pytest.mark.slow
@pytest.mark.parametrize(
    "title", ["An operator", pytest.param("An operator in C++", marks=COMPILED)]
)
def test_an_operator_passes_torchs_own_checks(title: str) -> None:
    _, module = drawn(title)
    own: Any = module.get_submodule("own1")
    scale = (own.scale,) if title == "An operator" else ()
    x = torch.randn(3, 4, dtype=torch.float64, requires_grad=True)
    checks = torch.library.opcheck(own.operator, (x, *scale))
    assert set(checks.values()) == {"SUCCESS"}
    assert torch.autograd.gradcheck(own, x)
    wanted = 1.5 * torch.tanh(x) if scale else x * x * x
    assert torch.allclose(own(x), wanted)


def test_two_versions_of_an_operator_calculate_as_each_says() -> None:
    _, one = drawn("An operator")
    _, other = drawn("An operator", ("scale * torch.tanh(x)\n", "scale * torch.tanh(x) + 1\n"))
    x = torch.ones(2, 6)
    assert torch.equal(one.get_submodule("own1")(x) + 1, other.get_submodule("own1")(x))
    assert torch.equal(one.get_submodule("own1")(x), 1.5 * torch.tanh(x))


@pytest.mark.gate
@pytest.mark.parametrize(
    ("title", "format"),
    [("An if", "torchscript-script"), ("torch.cond", "pt2"),
     ("Fork and wait", "torchscript-script"), ("Fork and wait", "torchscript-trace")],
)  # fmt: skip
def test_an_export_keeps_both_ways(title: str, format: str, tmp_path: Path) -> None:  # noqa: A002
    report, module = drawn(title)
    subject = of(report, module)
    assert export_subject(subject, format, tmp_path / "network").max_difference == 0.0
    loaded = (
        torch.export.load(tmp_path / "network").module()
        if format == "pt2"
        else torch.jit.load(tmp_path / "network")
    )
    high, low = ways(module)
    assert torch.equal(loaded(high), module(high))
    assert torch.equal(loaded(low), module(low))


def test_a_file_that_calls_an_operator_by_name_says_what_it_needs(tmp_path: Path) -> None:
    report, module = drawn("An operator")
    with pytest.raises(ExportError, match="would call scaled_tanh") as refused:
        export_subject(of(report, module), "pt2", tmp_path / "network")
    assert 'Name it "own::scaled_tanh"' in refused.value.hint
    named, module = drawn("An operator", ('f"{__module__}::', '"own::'))
    assert own_operators(module) == ["own::scaled_tanh"]
    result = export_subject(of(named, module), "pt2", tmp_path / "network")
    assert result.max_difference == 0.0
    assert "import the Python source before it is loaded" in result.note
