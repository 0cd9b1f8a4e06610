"""Values are put where their keys say: in the drawing, in the training settings, in the data."""

from dataclasses import replace

import pytest

from core.analyse import analyse_project
from core.common.errors import SweepError
from core.graph import edits
from core.settings.override import declared, put
from tests.core.small_runs import project, table_net

IRIS = project(
    table_net(4, 3),
    {"source": "iris"},
    optimizer_settings={"weight_decay": 0.1, "eps": 1e-8},
    scheduler={"name": "StepLR", "step_size": 5},
)


def test_a_setting_of_a_block_changes_the_drawing_and_nothing_else() -> None:
    found = put(IRIS, {"fc1.out_features": 64})
    assert dict(found.graph.nodes["fc1"].settings) == {"out_features": 64}
    assert found.training == IRIS.training
    assert analyse_project(found).total_params == 4 * 64 + 64 + 64 * 3 + 3


def test_another_block_keeps_the_settings_that_both_know() -> None:
    found = put(IRIS, {"relu1.negative_slope": 0.3, "relu1.block": "LeakyReLU"})
    node = found.graph.nodes["relu1"]
    assert (node.block, dict(node.settings)) == ("LeakyReLU", {"negative_slope": 0.3})
    assert analyse_project(found).ok


def test_what_a_node_says_of_itself_may_be_given_too() -> None:
    found = put(IRIS, {"fc1.frozen": True, "fc2.lr_factor": 0.5, "relu1.repeat": 2}).graph.nodes
    assert (found["fc1"].frozen, found["fc2"].lr_factor, found["relu1"].repeat) == (True, 0.5, 2)


def test_a_block_that_is_not_kept_is_passed_by() -> None:
    placed = replace(IRIS, layout={"fc1": (0.0, 0.0), "relu1": (300.0, 0.0)})
    found = put(placed, {"relu1.kept": False, "fc1.out_features": 8})
    assert "relu1" not in found.graph.nodes
    assert found.layout == {"fc1": (0.0, 0.0)}
    assert analyse_project(found).total_params == 4 * 8 + 8 + 8 * 3 + 3
    assert put(placed, {"relu1.kept": True}) == placed


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("relu1.kept", 0, "relu1.kept needs true or false but receives 0."),
        ("result.kept", False, "result cannot be left out because nothing reads it."),
        ("row.kept", False, "row cannot be left out because nothing comes in."),
    ],
)
def test_what_cannot_be_left_out_says_why(key: str, value: object, message: str) -> None:
    with pytest.raises(SweepError, match=message):
        put(IRIS, {key: value})


def test_settings_inside_a_group_leave_the_others_there() -> None:
    values = {"lr": 0.5, "optimizer_settings.eps": 1e-6, "data.noise": 0.2, "scheduler.gamma": 0.3}
    found = put(IRIS, values)
    assert found.training == {
        "optimizer_settings": {"weight_decay": 0.1, "eps": 1e-6},
        "scheduler": {"name": "StepLR", "step_size": 5, "gamma": 0.3},
        "lr": 0.5,
    }
    assert found.data == {"source": "iris", "noise": 0.2}


def test_a_schedule_that_is_named_anew_begins_from_its_own_defaults() -> None:
    found = put(IRIS, {"scheduler.name": "ExponentialLR", "scheduler.gamma": 0.9})
    assert found.training["scheduler"] == {"name": "ExponentialLR", "gamma": 0.9}


def test_weights_of_another_block_are_changed_there() -> None:
    shared = replace(IRIS, graph=edits.share(IRIS.graph, "relu1", "fc1"))
    with pytest.raises(SweepError, match=r"relu1 uses the weights of fc1. Write fc1.out_features."):
        declared(shared, "relu1.out_features")
