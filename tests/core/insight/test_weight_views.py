"""Filters and what excites them are those that a plain script of torch finds in the run."""

from pathlib import Path

import numpy as np
import pytest
import torch
from torch.nn import functional as F

from core.common.network_ref import ProjectRef, RunRef
from core.data import load
from core.insight import weight_views
from core.project import write_text
from core.project.templates import load_template


def place(run: Path) -> RunRef:
    return RunRef(run)


def weights(run: Path) -> dict[str, torch.Tensor]:
    """The best weights, read by torch alone."""
    return torch.load(run / "ckpt" / "best.pt", weights_only=True)["model"]


def test_norm_bias_and_values_are_those_of_the_checkpoint(trained: Path) -> None:
    state = weights(trained)
    found = weight_views.one_filter(place(trained), "conv1", 5, weight_views.ALL)
    kernel = state["conv1.weight"][5, 0]
    assert np.array(found.values) == pytest.approx(kernel.numpy(), abs=0)
    assert found.norm == pytest.approx(float((kernel**2).sum().sqrt()), rel=1e-6)
    assert found.bias == float(state["conv1.bias"][5])
    assert (found.channels, found.reads) == ((), (0,))


def test_a_linear_after_flatten_is_seen_channel_by_channel(trained: Path) -> None:
    row = weights(trained)["fc1.weight"][3].reshape(8, 6, 6)
    found = weight_views.one_filter(place(trained), "fc1", 3, 7)
    assert np.array(found.values) == pytest.approx(row[7].numpy(), abs=0)
    assert len(found.channels) == 8
    tiles = weight_views.tiles(place(trained), "fc1", 7, 2, 4)
    assert [tile.number for tile in tiles] == [2, 3, 4, 5]
    assert tiles[1].norm == pytest.approx(float(row.norm()), rel=1e-6)


def test_what_excites_a_filter_is_what_a_plain_script_finds(trained: Path) -> None:
    state = weights(trained)
    x, _ = load({"source": "digits"}, (1, 8, 8), (10,)).validation()
    maps = torch.cat([F.conv2d(part, state["conv1.weight"], state["conv1.bias"])[:, 2]
                      for part in x.split(64)])  # fmt: skip
    best = maps.amax(dim=(1, 2)).argsort(descending=True, stable=True)[:8]
    found = weight_views.exciting(place(trained), "conv1", 2)
    assert [s.sample.index for s in found.samples] == best.tolist()
    assert (found.looked, found.total) == (359, 359)
    for each in found.samples:
        (row, column), value = each.place, maps[each.sample.index][each.place]
        assert each.value == pytest.approx(float(value), abs=1e-6)
        assert each.field == ((row, row + 3), (column, column + 3))  # 3x3 without padding
        assert each.size == (8, 8)


def test_a_linear_of_a_table_is_a_heat_map_and_excited_by_rows() -> None:
    ref = ProjectRef(write_text(load_template("mlp_iris")))
    first = weight_views.layers(ref)[0]
    assert (first.node, first.shape, first.pictured) == ("fc1", (16, 1, 1, 4), False)
    assert weight_views.heat_map(ref, "fc1").startswith(b"\x89PNG")
    found = weight_views.exciting(ref, "fc1", 1, 3)
    assert [len(each.sample.row) for each in found.samples] == [4, 4, 4]
    assert [each.place for each in found.samples] == [()] * 3


def test_an_image_fed_in_one_row_is_seen_as_the_image() -> None:
    text = write_text(load_template("lenet_digits"))
    layers = {each.node: each for each in weight_views.layers(ProjectRef(text))}
    assert layers["fc1"].shape[1:] == (16, 5, 5)
    assert not layers["fc2"].pictured
