"""Layers that forward does not call are kept on request: drawn, saved under their names, unused."""

import pytest
import torch
from torch import Tensor, nn

from core.analyse import analyse, build
from core.wings.importing import import_module
from core.wings.importing.pipeline import build_on_meta
from core.wings.importing.verify.equivalence import NAMES, verdicts
from core.wings.importing.weights import mapped_state


class ConvBlock(nn.Module):
    def __init__(self, channels: int) -> None:
        super().__init__()
        self.conv = nn.Conv2d(channels, 8, 1, bias=False)
        self.bn = nn.BatchNorm2d(8)

    def forward(self, x: Tensor) -> Tensor:
        return torch.relu(self.bn(self.conv(x)))


class Head(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv = ConvBlock(8)
        self.seq = nn.Sequential(nn.Linear(8, 6), nn.ReLU(), nn.Linear(6, 3))
        self.scale = nn.Parameter(torch.ones(3))
        self.drop = nn.Dropout(0.25)

    def forward(self, x: Tensor) -> Tensor:
        return self.drop(self.seq(self.conv(x).mean((2, 3)))) * self.scale


class WithHead(nn.Module):
    """An auxiliary head, a layer that nobody reads, one under a second name, a list."""

    def __init__(self) -> None:
        super().__init__()
        self.stem = ConvBlock(3)
        self.aux = Head()
        self.fc = nn.Linear(8, 10)
        self.old = nn.Linear(5, 4)
        self.tied = self.fc
        self.extra = nn.ModuleList([nn.Linear(2, 2), nn.Linear(2, 3)])

    def forward(self, x: Tensor) -> Tensor | tuple[Tensor, Tensor]:
        x = self.stem(x)
        out = self.fc(x.mean((2, 3)))
        return (out, self.aux(x)) if self.training else out


HEAD = """\
class Head(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv = ConvBlock()
        self.seq = nn.Sequential(nn.Linear(8, 6), nn.ReLU(), nn.Linear(6, 3))
        self.drop = nn.Dropout(p=0.25)
        self.scale = nn.Parameter(torch.ones(3))
"""
KEPT = """\
        # kept for its weights: forward does not call it
        self.aux = Head()
        # kept for its weights: forward does not call it
        self.old = nn.Linear(5, 4)
        # kept for its weights: forward does not call it
        self.extra = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 3))
"""


def test_layers_that_forward_does_not_call_are_left_out_unless_they_are_to_be_kept():
    module = WithHead().eval()
    usual = import_module(module, [(3, 8, 8)])
    assert "aux.conv.conv.weight" in usual.unused
    assert set(usual.project.graph.nodes) == {
        "image", "stem", "mean1", "fc", "output"
    }  # fmt: skip
    kept = import_module(module, [(3, 8, 8)], keep_unused=True)
    assert kept.unused == ()
    marked = {name for name, node in kept.project.graph.nodes.items() if node.unused}
    assert marked == {"aux", "old", "extra"}


def test_what_is_kept_is_constructed_where_it_stood_and_not_called():
    found = import_module(WithHead().eval(), [(3, 8, 8)], keep_unused=True)
    report = analyse(found.project.graph)
    assert report.errors == ()
    assert [w.code for w in report.warnings] == ["unused_layer"] * 3
    source = report.source
    assert source
    assert HEAD in source
    assert KEPT in source
    called = source.partition("def forward(self, image: Tensor)")[2]
    assert all(f"self.{name}" not in called for name in ("aux", "old", "extra"))
    assert report.nodes["aux"].params == 64 + 16 + 54 + 21 + 3
    assert report.total_params == sum(p.numel() for p in WithHead().parameters())


def test_the_state_dict_loads_as_a_whole_and_the_verdicts_hold():
    module = WithHead().eval()
    found = import_module(module, [(3, 8, 8)], keep_unused=True)
    report = analyse(found.project.graph)
    assert report.source
    ours = build(report.source)
    assert found.keys == {}
    assert set(ours.state_dict()) == {k for k in module.state_dict() if not k.startswith("tied.")}
    empty = build_on_meta(report)
    ours.load_state_dict(mapped_state(module.state_dict(), found.keys, empty), strict=True)
    x = torch.randn(2, 3, 8, 8)
    assert torch.equal(ours.eval()(x), module(x))
    assert torch.equal(ours.get_parameter("aux.scale"), module.aux.scale)
    judged = {v.name: v for v in verdicts(module, empty, found.keys, [(3, 8, 8)])}
    assert [judged[name].equal for name in NAMES[:3]] == [True, True, True]
    assert judged["one training step"].note == (
        "aux: used in training only and not called, unless asked for; in training the original "
        "gives 2 results, the drawing 1"
    )


@pytest.mark.slow
@pytest.mark.parametrize("name", ["googlenet", "inception_v3"])
def test_torchvisions_heads_are_kept(name: str):
    from torchvision.models import get_model

    shape = (3, 224, 224) if name == "googlenet" else (3, 299, 299)
    module = get_model(name, weights=None, init_weights=False).eval()
    found = import_module(module, [shape], name, keep_unused=True)
    assert found.unused == ()
    report = analyse(found.project.graph, name)
    assert report.source
    ours = build(report.source)
    theirs = [found.keys.get(key, key) for key in ours.state_dict()]
    assert sorted(theirs) == sorted(module.state_dict())
    assert report.total_params == sum(p.numel() for p in module.parameters())
