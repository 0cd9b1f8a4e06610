"""What two people do to a project apart from each other becomes one project without a word."""

from dataclasses import replace
from typing import Any

import pytest

from core.project import Project, read_text, write_text
from core.project.renames import renamed
from tests.wings.merge import merged as m
from tests.wings.merge.merged import (
    LENET,
    RESNET,
    clean,
    cut,
    edited,
    gone,
    new,
    put,
    rename,
    trained,
    wire,
)


def wires(project: Project, target: str) -> list[str]:
    return [f"{e.source} -> {e.target_port}" for e in project.graph.edges if e.target == target]


def test_settings_of_one_block_and_of_the_training_are_both_taken():
    ours = trained(edited(LENET, put("conv1", out_channels=8)), lr=0.1)
    theirs = trained(edited(LENET, put("conv1", kernel_size=3)), epochs=3)
    found = clean(LENET, ours, theirs)
    assert dict(found.graph.nodes["conv1"].settings) == {
        "out_channels": 8, "kernel_size": 3, "padding": 2,
    }  # fmt: skip
    assert (found.training["lr"], found.training["epochs"]) == (0.1, 3)


def test_two_new_blocks_stand_behind_what_they_read():
    ours = edited(LENET, m.between("drop1", "Dropout", "fc2"))
    theirs = edited(LENET, m.between("bn1", "BatchNorm2d", "tanh1"), new("aux", "Output"))
    found = clean(LENET, ours, edited(theirs, wire("bn1 -> aux")))
    assert list(found.graph.nodes) == [
        "image", "conv1", "bn1", "tanh1", "pool1", "conv2", "tanh2", "pool2", "flat", "fc1",
        "tanh3", "drop1", "fc2", "tanh4", "fc3", "logits", "aux",
    ]  # fmt: skip
    assert wires(found, "fc2") == ["drop1 -> input"]
    assert wires(found, "aux") == ["bn1 -> input"]


def test_two_blocks_added_behind_one_stand_in_the_order_of_the_alphabet():
    ours = edited(LENET, {**new("zeta", "Output"), "after": "conv1"}, wire("conv1 -> zeta"))
    theirs = edited(LENET, new("alpha", "Output"), wire("conv1 -> alpha"))
    assert list(clean(LENET, ours, theirs).graph.nodes)[-3:] == ["logits", "alpha", "zeta"]


def test_a_removed_block_is_gone_though_the_other_side_moved_it():
    ours = edited(LENET, gone("tanh4"), wire("fc2 -> fc3"))
    ours = replace(ours, layout={k: v for k, v in LENET.layout.items() if k != "tanh4"})
    theirs = replace(LENET, layout={**LENET.layout, "tanh4": (9, 9), "fc2": (8, 8)})
    found = clean(LENET, ours, theirs)
    assert "tanh4" not in write_text(found)
    assert found.layout["fc2"] == (8, 8)
    assert wires(found, "fc3") == ["fc2 -> input"]


def test_a_renamed_block_takes_what_the_other_side_did_to_it():
    base = trained(LENET, start_from={"run": "a-001", "leave_out": ("fc3",)})
    base = replace(base, notes=({"text": "See here.", "node": "fc3", "at": (0, 9)},))
    ours = edited(base, rename("fc3", "head"))
    ours = replace(ours, notes=({"text": "See here.", "node": "head", "at": (0, 9)},))
    ours = replace(ours, layout={("head" if k == "fc3" else k): v for k, v in base.layout.items()})
    theirs = edited(base, put("fc3", bias=False), m.between("drop1", "Dropout", "fc3"))
    theirs = trained(theirs, start_from={"run": "b-002", "leave_out": ("fc3", "fc2")})
    found = clean(base, ours, replace(theirs, layout={**theirs.layout, "fc3": (1, 2)}))
    assert found.graph.nodes["head"].settings == {"out_features": 10, "bias": False}
    assert wires(found, "head") == ["drop1 -> input"]
    assert wires(found, "logits") == ["head -> input"]
    assert found.training["start_from"] == {"run": "b-002", "leave_out": ("head", "fc2")}
    assert found.notes[0]["node"] == "head"
    assert found.layout["head"] == (1, 2)
    assert "fc3" not in write_text(found)


def test_a_block_that_was_renamed_and_got_a_neighbour_is_still_known():
    ours = edited(LENET, rename("conv1", "stem"), m.between("bn1", "BatchNorm2d", "tanh1"))
    found = clean(LENET, ours, edited(LENET, put("conv1", out_channels=9)))
    assert found.graph.nodes["stem"].settings["out_channels"] == 9
    assert renamed(LENET.graph, ours.graph) == {"conv1": "stem"}


def test_one_renames_a_block_that_the_other_feeds_from_elsewhere():
    ours = edited(LENET, rename("conv2", "deep"))
    found = clean(LENET, ours, edited(LENET, m.between("bn1", "BatchNorm2d", "conv2")))
    assert wires(found, "deep") == ["bn1 -> input"]


def test_both_rename_one_block_alike_and_others_apart():
    ours = edited(LENET, rename("conv1", "stem"), rename("fc1", "a"))
    theirs = edited(LENET, rename("conv1", "stem"), rename("fc2", "b"))
    found = clean(LENET, ours, theirs)
    assert [name for name in found.graph.nodes if name not in LENET.graph.nodes] == [
        "stem", "a", "b",
    ]  # fmt: skip


def test_inside_a_composite_names_settings_and_blocks_merge_as_outside():
    ours = edited(RESNET, m.inside("Residual", put("conv1", kernel_size=5, padding=2)))
    theirs = edited(RESNET, m.inside("Residual", rename("conv2", "second")), new("aux", "Residual"))
    found = clean(RESNET, ours, theirs)
    inner = found.graph.composites["Residual"].graph
    assert inner.nodes["conv1"].settings["kernel_size"] == 5
    assert [e.source for e in inner.into("bn2")] == ["second"]
    assert found.graph.nodes["aux"].block == "Residual"


def test_a_composite_that_one_side_renamed_takes_what_the_other_did_inside():
    text = write_text(RESNET).replace('"Residual"', '"Skip"')
    changed = edited(RESNET, m.inside("Residual", put("conv1", bias=True)), new("aux", "Residual"))
    found = clean(RESNET, read_text(text), changed)
    assert list(found.graph.composites) == ["Skip"]
    assert found.graph.composites["Skip"].graph.nodes["conv1"].settings["bias"] is True
    assert found.graph.nodes["aux"].block == "Skip"


def test_a_port_whose_source_one_side_removed_is_free_for_the_other():
    ours = edited(LENET, gone("tanh3"))
    found = clean(LENET, ours, edited(LENET, cut("tanh3 -> fc2"), wire("fc1 -> fc2")))
    assert wires(found, "fc2") == ["fc1 -> input"]


CAT = edited(
    LENET, new("join", "cat"), wire("conv1 -> join.tensors.0"), wire("tanh1 -> join.tensors.1")
)


def test_wires_that_both_add_to_a_list_are_all_in_it_in_the_order_of_the_file():
    ours = edited(CAT, wire("conv2 -> join.tensors.2"), wire("tanh2 -> join.tensors.3"))
    theirs = edited(CAT, wire("pool1 -> join.tensors.2"))
    for one, other in ((ours, theirs), (theirs, ours)):
        found = m.both(CAT, one, other)
        assert wires(found.project, "join") == [
            "conv1 -> tensors.0",
            "tanh1 -> tensors.1",
            "pool1 -> tensors.2",
            "conv2 -> tensors.3",
            "tanh2 -> tensors.4",
        ]
        assert found.conflicts == ()
        assert found.remarks == (
            "Both added wires to join.tensors; their order is now: pool1, conv2, tanh2.",
        )


def test_a_wire_taken_from_a_list_and_one_added_to_it_move_no_other():
    ours = edited(CAT, cut("conv1 -> join.tensors.0"), cut("tanh1 -> join.tensors.1"))
    ours = edited(ours, wire("tanh1 -> join.tensors.0"))
    found = clean(CAT, ours, edited(CAT, wire("pool1 -> join.tensors.2")))
    assert wires(found, "join") == ["tanh1 -> tensors.0", "pool1 -> tensors.1"]


def test_wires_to_ports_that_a_block_lacks_are_kept_as_they_are():
    text = write_text(LENET)
    base, ours, theirs = (
        read_text(text.replace('"flat -> fc1"', f'"flat -> fc1", "conv1 -> tanh4.x.0"{more}'))
        for more in ("", ', "conv2 -> tanh4.x.1"', ', "fc1 -> tanh4.x.1"')
    )
    assert wires(m.both(base, ours, theirs).project, "tanh4") == [
        "fc2 -> input", "conv1 -> x.0", "conv2 -> x.1", "fc1 -> x.2",
    ]  # fmt: skip


LOSSES = trained(
    LENET, losses=({"output": "logits", "weight": 1}, {"output": "logits", "weight": 2})
)


def test_entries_of_a_list_of_objects_merge_one_by_one():
    first, second = LOSSES.training["losses"]
    ours = trained(LOSSES, losses=({**first, "weight": 5}, second))
    theirs = trained(LOSSES, losses=(first, {**second, "trains": "fc1"}))
    assert clean(LOSSES, ours, theirs).training["losses"] == (
        {"output": "logits", "weight": 5},
        {"output": "logits", "weight": 2, "trains": "fc1"},
    )


def noted(*texts: str, x: int = 0) -> Project:
    return replace(LENET, notes=tuple({"text": text, "at": (x, 0)} for text in texts))


def test_notes_are_known_again_by_what_they_say_or_where_they_stand():
    found = clean(noted("a", "b", "c"), noted("a2", "b", "c", "d"), noted("a", "c", "e"))
    assert [note["text"] for note in found.notes] == ["a2", "c", "d", "e"]


def test_a_moved_note_that_the_other_side_removed_is_gone():
    assert clean(noted("a"), noted("a", x=5), noted()).notes == ()


def test_places_that_both_changed_are_ours_and_no_conflict():
    ours, theirs = (replace(LENET, layout={**LENET.layout, "fc1": (x, 0)}) for x in (1, 2))
    found = m.both(LENET, ours, theirs)
    assert (found.project.layout["fc1"], found.conflicts) == ((1, 0), ())
    assert found.remarks == ("Both moved fc1; the position of ours is kept.",)


def test_unknown_keys_of_both_are_kept_everywhere():
    text = write_text(RESNET)
    ours = text.replace('"bn1": {"block": "BatchNorm2d"}', '"bn1": {"block": "New", "zeta": 1}')
    theirs = text.replace('"nodes": {\n', '"colour": "teal",\n    "nodes": {\n').replace(
        '"layout"', '"later": {"b": [1.0]},\n  "layout"'
    )
    found = write_text(clean(RESNET, read_text(ours), read_text(theirs)))
    assert found.count('"zeta": 1') == 2
    assert found.count('"colour": "teal"') == 2
    assert '"later": {"b": [1.0]}' in found


@pytest.mark.parametrize("value", [1, 1.0, True])
def test_a_value_that_only_changed_its_type_has_changed(value: Any):
    base = trained(LENET, later=1.5)
    assert clean(trained(LENET, later=1), trained(LENET, later=value), trained(LENET, later=1))
    found = clean(base, base, trained(LENET, later=value)).training["later"]
    assert type(found) is type(value)
    found = clean(trained(LENET, later=1), trained(LENET, later=value), trained(LENET, later=1))
    assert type(found.training["later"]) is type(value)
