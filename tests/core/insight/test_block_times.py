"""Measured times: every node that runs has one, composites hold what is inside them."""

import pytest

from core.analyse import analyse
from core.insight.block_times import fitting, time_blocks
from core.project.templates import load_template
from tests.core.drawing import END, chain
from tests.core.insight.drawn import lenet

LAYERS = ["conv1", "tanh1", "pool1", "conv2", "tanh2", "pool2", "flat", "fc1"]


def test_every_block_that_runs_has_a_time_and_the_ends_have_none():
    found = time_blocks(lenet(), 8)
    assert list(found["ms"])[:8] == LAYERS
    assert all(value > 0 for value in found["ms"].values())
    assert (found["batch"], found["device"]) == (8, "CPU")
    assert found["rounds"] >= 3


def test_a_composite_takes_what_the_blocks_inside_take():
    times = time_blocks(analyse(load_template("resnet_digits").graph), 4)["ms"]
    inside = [name for name in times if name.startswith("stage1.0.")]
    assert len(inside) == 7
    assert times["stage1.0"] >= 0.9 * sum(times[name] for name in inside)
    assert times["stage1"] >= times["stage1.0"] + 0.9 * times["stage1.1"]


def test_a_batch_that_does_not_fit_is_halved_until_it_does():
    wide = ("fc1", ("Linear", {"out_features": 2**20}))
    report = analyse(chain(("data", ("Input", {"shape": (4,)})), wide, END))
    assert fitting(report, 64) == 64
    assert fitting(report, 65_536) == 256


def test_a_network_with_errors_is_not_measured():
    report = analyse(chain(("data", ("Input", {"shape": (4,)})), ("fc1", "Linear"), END))
    with pytest.raises(ValueError, match="needs a network without errors"):
        time_blocks(report, 4)
