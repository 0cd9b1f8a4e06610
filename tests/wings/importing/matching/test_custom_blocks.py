"""What cannot be drawn comes in as a block of own Python: offered, asked for, and never trusted."""

import pytest
import torch
from torch import Tensor, nn

from core.analyse import analyse, build
from core.files import trust
from core.project import read_text, write_text
from core.project.inputs import Input
from core.wings.importing import ImportedModel, ImportRefused, import_module
from core.wings.importing.pipeline import import_model
from core.wings.importing.tracing.model_call import InputSpec
from core.wings.importing.verify.equivalence import verdicts


class Spectrum(nn.Module):
    """Calls what has no block, and keeps no argument: its annotations are missing, too."""

    def __init__(self, channels, scale=1.0):
        super().__init__()
        self.fc = nn.Linear(channels, channels)
        self.scale = scale

    def forward(self, x):
        return self.fc(torch.fft.fft(x).real * self.scale)


class Halves(nn.Module):
    """Decides by values."""

    def forward(self, x: Tensor) -> Tensor:
        while x.abs().sum() > 1:
            x = x / 2
        return x


class Helped(nn.Module):
    """Uses what the file around it has."""

    def forward(self, x: Tensor) -> Tensor:
        return torch.fft.fft(x).real * FACTOR


FACTOR = 2.0


class Net(nn.Module):
    def __init__(self, inner: nn.Module) -> None:
        super().__init__()
        self.first, self.inner, self.last = nn.Linear(4, 4), inner, nn.Linear(4, 2)

    def forward(self, x: Tensor) -> Tensor:
        return self.last(self.inner(torch.relu(self.first(x))))


def net() -> nn.Module:
    return Net(Spectrum(4, scale=0.5))


def judged(module: nn.Module, found: ImportedModel) -> list[bool | None]:
    texts = [part.python for part in found.project.graph.composites.values()]
    with trust.meanwhile(*texts):
        report = analyse(found.project.graph, found.project.name)
        assert report.source, [e.message for e in report.errors]
        return [v.equal for v in verdicts(module, build(report.source), found.keys, [(4,)])]


@pytest.mark.parametrize("inner", [Spectrum(4, scale=0.5), Halves()])
def test_what_cannot_be_drawn_is_offered_and_comes_in_equal_as_own_python(inner: nn.Module):
    module, name = Net(inner).eval(), type(inner).__name__
    with pytest.raises(ImportRefused) as refused:
        import_module(module, [(4,)])
    assert refused.value.hint.endswith(
        f"Or have {name} come in as a block of your own Python: --own-python."
    )
    found = import_module(module, [(4,)], own_python=True)
    blocks = [part.block for part in found.project.graph.nodes.values()]
    assert blocks == ["Input", "Linear", "ReLU", name, "Linear", "Output"]
    assert found.keys == {}
    assert judged(module, found) == [True, True, None, True]


def test_a_whole_model_may_be_one_such_block():
    module = Spectrum(4).eval()
    found = import_module(module, [(4,)], own_python=True)
    assert found.keys == {"spectrum1.fc.weight": "fc.weight", "spectrum1.fc.bias": "fc.bias"}
    assert judged(module, found) == [True, True, None, True]


def test_the_project_waits_for_trust_when_it_is_opened():
    found = import_module(Net(Spectrum(4)).eval(), [(4,)], own_python=True)
    project = read_text(write_text(found.project))
    assert project.graph.composites["Spectrum"].python.startswith("class Spectrum(nn.Module):")
    report = analyse(project.graph, project.name)
    assert [(e.node, e.code) for e in report.errors] == [("inner", "untrusted")]


def test_the_whole_import_compares_it_and_trusts_nothing_for_later():
    found = import_model(f"python:{__name__}:net", InputSpec((Input((4,)),)), own_python=True)
    assert [v.equal for v in found.verdicts] == [True, True, None, True]
    assert "custom Python; read and trust it before the project can run: Spectrum" in (found.notes)
    assert not any(trust.trusted(text) for text in found.own_python)


def test_a_class_that_needs_its_file_is_refused_with_the_line_that_does():
    found = import_module(Net(Helped()).eval(), [(4,)], own_python=True)
    with trust.meanwhile(found.project.graph.composites["Helped"].python):
        report = analyse(found.project.graph, found.project.name)
    assert "name 'FACTOR' is not defined" in report.errors[0].message
    assert "in line 5 of its code" in report.errors[0].message


class Odd(nn.Module):
    def __init__(self, layer: nn.Module) -> None:
        super().__init__()
        self.layer = layer

    def forward(self, x: Tensor) -> Tensor:
        return self.layer(torch.fft.fft(x).real)


def test_a_class_that_cannot_be_a_block_says_why():
    with pytest.raises(ImportRefused, match="Odd: cannot be a block of custom Python: Line 2 "):
        import_module(Odd(nn.Linear(4, 4)).eval(), [(4,)], own_python=True)
