"""A conflict of a merge holds ours, or theirs where that is chosen."""

import pytest

from core.project import Project
from core.wings.merge import merge
from tests.wings.merge.merged import (
    LENET,
    between,
    cut,
    edited,
    gone,
    messages,
    new,
    put,
    trained,
    wire,
)

WITHOUT = gone("tanh1"), wire("conv1 -> pool1")
SWAPPED = {"op": "replace", "node": "tanh1", "block": "ReLU"}


def chosen(ours: Project, theirs: Project) -> Project:
    """The merge with theirs in its only conflict."""
    (message,) = messages(LENET, ours, theirs)
    found = merge(LENET, ours, theirs, [message])
    assert [conflict.message for conflict in found.conflicts] == [message]
    assert found.either == {message}
    return found.project


def wires(project: Project, name: str) -> list[str]:
    graph = project.graph
    return [f"{e.source} -> {e.target}" for e in (*graph.into(name), *graph.out_of(name))]


def test_a_setting_of_theirs_is_taken_and_the_rest_stays_merged():
    ours = edited(LENET, put("conv1", out_channels=8, bias=False))
    theirs = edited(LENET, put("conv1", out_channels=32), put("fc1", out_features=60))
    nodes = chosen(ours, theirs).graph.nodes
    assert nodes["conv1"].settings["out_channels"] == 32
    assert nodes["conv1"].settings["bias"] is False
    assert nodes["fc1"].settings["out_features"] == 60


def test_a_kind_of_theirs_comes_with_its_settings():
    ours = trained(LENET, optimizer="SGD", optimizer_settings={"momentum": 0.9})
    theirs = trained(LENET, optimizer="RMSprop", optimizer_settings={"alpha": 0.9})
    training = chosen(ours, theirs).training
    assert training["optimizer"] == "RMSprop"
    assert training["optimizer_settings"] == {"alpha": 0.9}


def test_a_block_that_ours_removed_comes_back_as_theirs_has_it():
    ours = edited(LENET, *WITHOUT)
    theirs = edited(LENET, SWAPPED)
    made = chosen(ours, theirs)
    assert made.graph.nodes["tanh1"].block == "ReLU"
    assert wires(made, "tanh1") == wires(LENET, "tanh1")


def test_a_block_that_theirs_removed_goes():
    made = chosen(edited(LENET, SWAPPED), edited(LENET, *WITHOUT))
    assert "tanh1" not in made.graph.nodes
    assert "conv1 -> pool1" in wires(made, "pool1")


def test_one_of_two_blocks_of_a_name_is_theirs_with_its_wires():
    ours = edited(LENET, new("extra", "Tanh"), wire("conv1 -> extra"))
    theirs = edited(LENET, new("extra", "Sigmoid"), wire("conv2 -> extra"))
    made = chosen(ours, theirs)
    assert made.graph.nodes["extra"].block == "Sigmoid"
    assert wires(made, "extra") == ["conv2 -> extra"]


def test_a_port_is_fed_as_in_theirs():
    ours = edited(LENET, cut("tanh1 -> pool1"), wire("conv1 -> pool1"))
    theirs = edited(LENET, between("drop1", "Dropout", "pool1", p=0.1))
    made = chosen(ours, theirs)
    assert "drop1 -> pool1" in wires(made, "pool1")


@pytest.mark.parametrize("choice", [[], ["Another sentence."]])
def test_without_a_choice_ours_is_taken(choice):
    ours, theirs = edited(LENET, put("conv1", bias=False)), edited(LENET, put("conv1", bias=True))
    ours = edited(ours, put("conv1", out_channels=8))
    theirs = edited(theirs, put("conv1", out_channels=32))
    found = merge(LENET, ours, theirs, choice)
    assert found.project.graph.nodes["conv1"].settings["out_channels"] == 8
