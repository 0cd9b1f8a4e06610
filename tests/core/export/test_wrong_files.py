"""A file that computes something else than its network is refused, whatever its format."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor

from core.analyse import analyse_project
from core.export import FORMATS, ExportError, export
from core.export.agreement import EIGHT_BITS, OutputsDiffer, compare_outputs
from core.export.needs import missing
from core.export.run import export_subject
from core.export.subject import Subject, subject_of
from core.files import trust
from core.graph import Edge, Graph, Node
from core.graph.python import composite_of
from core.project import Project
from core.project.templates import load_template
from tests.wing_parts import rows

GATE = """class Gate(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        y = x * 2
        if y.mean() > 0:
            return y + 1
        return y - 1"""
COMPARED = [
    pytest.param(name, marks=pytest.mark.slow if kind.needs else ())  # a compiler
    for name, kind in FORMATS.items()
    if kind.compared
]
pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture(scope="module")
def planted() -> Subject:
    """Iris, of which every format converts another network than the one it is compared with."""
    subject = subject_of(load_template("mlp_iris"))
    right = subject.module

    class Turned(torch.nn.Module):
        def forward(self, *inputs: Tensor) -> Any:
            return -right(*inputs) + 1

        def state_dict(self, *args: Any, **more: Any) -> Any:
            return right.state_dict(*args, **more)

    wrong = replace(subject, module=Turned().eval())
    wrong.__dict__["fixed"] = right
    return wrong


@pytest.mark.gate
@pytest.mark.parametrize("name", COMPARED)
def test_a_wrong_file_is_refused_and_nothing_is_left(
    name: str, planted: Subject, tmp_path: Path
) -> None:
    if lacking := missing(FORMATS[name])[0]:
        pytest.skip(lacking)
    with pytest.raises(ExportError, match=r"is not written.*where the network gives") as refused:
        export_subject(planted, name, tmp_path / "net")
    assert FORMATS[name].title in refused.value.message
    assert list(tmp_path.iterdir()) == []


def gate() -> Project:
    nodes = {"x": Node("Input", {"shape": (4,)}), "gate": Node("Gate"), "out": Node("Output")}
    wires = (Edge("x", "output", "gate", "x"), Edge("gate", "output", "out", "input"))
    return Project(name="gate", graph=Graph(nodes, wires, {"Gate": composite_of("Gate", GATE)}))


RECORDED = [
    "onnx", "onnx-half", "onnx-int8", "web", "pt2", "torchscript-trace",
    *rows("exported", "RECORDED"),
]  # fmt: skip


@pytest.mark.gate
@pytest.mark.parametrize("name", RECORDED)
def test_a_recorded_file_of_a_block_that_decides_is_refused_by_its_line(
    name: str, tmp_path: Path
) -> None:
    with trust.meanwhile(GATE), pytest.raises(ExportError) as refused:
        export(gate(), name, tmp_path / "net")
    assert "gate branches on the values it receives (Gate, line 4: if y.mean() > 0:)" in str(
        refused.value
    )
    assert "Scripted TorchScript keeps it" in refused.value.hint
    assert list(tmp_path.iterdir()) == []


def test_scripted_torchscript_keeps_the_decision(tmp_path: Path) -> None:
    with trust.meanwhile(GATE):
        made = export(gate(), "torchscript-script", tmp_path / "net.pt")
    loaded = torch.jit.load(tmp_path / "net.pt")
    assert made.max_difference == 0.0
    assert loaded(torch.ones(1, 4)).tolist() == [[3.0] * 4]
    assert loaded(-torch.ones(1, 4)).tolist() == [[-3.0] * 4]


def test_the_check_names_block_and_line_before_anything_is_exported() -> None:
    with trust.meanwhile(GATE):
        report = analyse_project(gate())
    assert report.ok
    assert [(w.node, w.code) for w in report.warnings] == [("gate", "decides_by_values")]
    assert "(Gate, line 4: if y.mean() > 0:)" in report.warnings[0].message


def ones(batch: int) -> tuple[Tensor, ...]:
    return (torch.ones(batch, 3),)


@pytest.mark.parametrize(
    "other",
    [
        lambda x: x.relu(),  # samples here are positive
        lambda x: x.clamp(max=2.0),
        lambda x: torch.where(x.mean() > 0, x, -x),
        lambda x: torch.where(x > 0, x, torch.nan),
    ],
)
def test_what_no_sample_shows_is_seen_by_negative_and_large_values(other: Any) -> None:
    with pytest.raises(OutputsDiffer):
        compare_outputs(lambda x: x, other, ones)


def test_rounding_is_no_difference_and_is_measured_on_samples_alone() -> None:
    assert compare_outputs(lambda x: x, lambda x: x * (1 + 2**-20), ones) == 2**-20


def test_eight_bits_may_differ_by_what_they_leave_out() -> None:
    moved = 1 + 2**-8
    assert compare_outputs(lambda x: x, lambda x: x * moved, ones, precision=EIGHT_BITS) == 2**-8
    with pytest.raises(
        OutputsDiffer, match=r"gives 1.25 in output 1\[0\] where the network gives 1:"
    ):
        compare_outputs(lambda x: x, lambda x: x * 1.25, ones, precision=EIGHT_BITS)


def test_a_file_that_gives_nan_where_the_network_does_not_is_refused() -> None:
    with pytest.raises(OutputsDiffer, match="gives nan"):
        compare_outputs(lambda x: x, lambda x: x * torch.nan, ones)


def test_outputs_that_are_finite_in_part_are_compared_there() -> None:
    masked = torch.tensor([0.0, -torch.inf, 0.0])
    assert compare_outputs(lambda x: x + masked, lambda x: x + masked, ones) == 0.0
    with pytest.raises(OutputsDiffer):
        compare_outputs(lambda x: x + masked, lambda x: x + masked + 1, ones)
