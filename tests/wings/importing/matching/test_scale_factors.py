"""Layers that keep a factor for each dimension are drawn with one number, or with all of them."""

import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from core.analyse import analyse, build
from core.wings.importing import import_module

LAYERS = {
    "nn.Upsample(scale_factor=2.0)": nn.Upsample(scale_factor=(2, 2)),
    'nn.Upsample(scale_factor=(2.0, 1.5), mode="bilinear")': nn.Upsample(
        scale_factor=(2.0, 1.5), mode="bilinear"
    ),
    "nn.UpsamplingNearest2d(scale_factor=(2.0, 1.0))": nn.UpsamplingNearest2d(scale_factor=(2, 1)),
    "nn.FractionalMaxPool2d(2, output_ratio=0.5)": nn.FractionalMaxPool2d(2, output_ratio=0.5),
    "nn.FractionalMaxPool2d(2, output_ratio=(0.5, 0.7))": nn.FractionalMaxPool2d(
        2, output_ratio=(0.5, 0.7)
    ),
}


def drawn(module: nn.Module) -> tuple[str, nn.Module]:
    found = import_module(module.eval(), [(3, 9, 7)], "net")
    source = analyse(found.project.graph, "net").source
    assert source is not None
    return source, build(source)


@pytest.mark.parametrize(("line", "layer"), LAYERS.items(), ids=LAYERS)
def test_a_layer_with_a_factor_for_each_side_is_drawn(line: str, layer: nn.Module) -> None:
    source, ours = drawn(nn.Sequential(layer))
    assert line in source
    x = torch.linspace(-3, 3, 2 * 3 * 9 * 7).reshape(2, 3, 9, 7)
    torch.manual_seed(0)
    expected = layer(x)
    torch.manual_seed(0)
    assert torch.equal(ours(x), expected)


def test_a_call_with_a_factor_for_each_side_is_drawn() -> None:
    class Stretch(nn.Module):
        def forward(self, x: Tensor) -> Tensor:
            return F.interpolate(x, scale_factor=(1.7, 0.6), mode="nearest-exact")

    source, ours = drawn(Stretch())
    assert 'scale_factor=(1.7, 0.6), mode="nearest-exact"' in source
    x = torch.linspace(-3, 3, 2 * 3 * 9 * 7).reshape(2, 3, 9, 7)
    assert torch.equal(ours(x), Stretch()(x))
