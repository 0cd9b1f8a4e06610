"""Filters come out of the layers that have them, laid out as images."""

import pytest
import torch
from torch import nn

from core.insight.filters import filter_layers, filters, linear_as_filters


def test_filters_of_a_convolution_are_its_weights() -> None:
    net = nn.Sequential(nn.Conv2d(3, 8, 5), nn.ReLU(), nn.Conv2d(8, 4, 3))
    assert filter_layers(net) == ["0", "2"]
    assert filter_layers(nn.Sequential(nn.Linear(2, 3), nn.ReLU())) == ["0"]
    got = filters(net, "0")
    assert torch.equal(got.weight, net[0].weight)
    assert got.weight.shape == (8, 3, 5, 5)


def test_filters_are_a_copy_that_training_does_not_change() -> None:
    net = nn.Sequential(nn.Conv2d(1, 2, 3))
    got = filters(net, "0").weight
    kept = got.clone()
    net[0].weight.data.zero_()
    assert torch.equal(got, kept)


def test_a_layer_without_filters_is_refused_by_name() -> None:
    with pytest.raises(ValueError, match="0 needs to be a convolution but is a ReLU"):
        filters(nn.Sequential(nn.ReLU()), "0")


def test_transposed_and_one_dimensional_filters_are_pictures_too() -> None:
    net = nn.ModuleDict({"up": nn.ConvTranspose2d(4, 2, 3), "line": nn.Conv1d(2, 5, 7)})
    assert filters(net, "up").weight.shape == (2, 4, 3, 3)
    assert filters(net, "line").weight.shape == (5, 2, 1, 7)


def test_filters_of_grouped_layers_say_which_channels_they_read() -> None:
    net = nn.ModuleDict(
        {"conv": nn.Conv2d(4, 6, 3, groups=2), "up": nn.ConvTranspose2d(4, 6, 3, groups=2)}
    )
    conv, up = filters(net, "conv"), filters(net, "up")
    assert conv.weight.shape == up.weight.shape == (6, 2, 3, 3)
    assert [conv.reads(k) for k in (0, 2, 3, 5)] == [[0, 1], [0, 1], [2, 3], [2, 3]]
    x = torch.zeros(1, 4, 1, 1)
    x[0, 3] = 1.0  # a transposed convolution lays its filter down where it reads a 1
    with torch.no_grad():
        laid = net["up"](x) - net["up"].bias[None, :, None, None]
    assert torch.allclose(laid[0, 4], up.weight[4, 1], atol=1e-6)


def test_filters_of_three_dimensions_are_slices() -> None:
    net = nn.Sequential(nn.Conv3d(2, 5, (3, 4, 4)))
    got = filters(net, "0")
    assert got.weight.shape == (5, 6, 4, 4)
    assert got.reads(0) == [0, 0, 0, 1, 1, 1]
    assert torch.equal(got.weight[2, 4], net[0].weight[2, 1, 1])


def test_a_linear_layer_that_reads_an_image_shows_as_images() -> None:
    net = nn.Sequential(nn.Flatten(), nn.Linear(12, 5))
    got = linear_as_filters(net, "1", (1, 3, 4))
    assert got.weight.shape == (5, 1, 3, 4)
    assert torch.equal(got.weight[2].flatten(), net[1].weight[2])
    assert linear_as_filters(net, "1", (1, 4, 4)).weight.shape == (5, 1, 1, 12)
    assert linear_as_filters(net, "1", (12, 1, 1)).weight.shape == (5, 1, 1, 12)
    assert linear_as_filters(net, "1", ()).weight.shape == (5, 1, 1, 12)
