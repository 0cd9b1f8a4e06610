"""Where both sides changed one thing it is told in a sentence, and the merge holds ours there."""

from dataclasses import replace
from typing import Any

import pytest

from core.project import Project
from core.wings.merge import MergeConflict, merge
from tests.wings.merge import merged as m
from tests.wings.merge.merged import (
    LENET,
    RESNET,
    edited,
    gone,
    messages,
    new,
    put,
    rename,
    trained,
    wire,
)


def wires(project: Project, target: str) -> list[str]:
    return [f"{e.source} -> {e.target_port}" for e in project.graph.edges if e.target == target]


def on(*edits: m.Edit, base: Project = LENET) -> Project:
    return edited(base, *edits)


def test_one_setting_with_two_values():
    ours, theirs = on(put("conv1", out_channels=8)), on(put("conv1", out_channels=32, bias=False))
    found = m.both(LENET, ours, theirs)
    assert found.conflicts == (
        MergeConflict(
            "conv1.out_channels",
            "conv1: out_channels is 8 in ours and 32 in theirs (6 before).",
            6,
            8,
            32,
        ),
    )
    settings = found.project.graph.nodes["conv1"].settings
    assert (settings["out_channels"], settings["bias"]) == (8, False)


def without(name: str) -> Project:
    """LeNet with a wire around a block that is removed."""
    (before,), (after,) = LENET.graph.into(name), LENET.graph.out_of(name)
    return on(gone(name), wire(f"{before.source} -> {after.target}"))


DROP = m.between("drop1", "Dropout", "fc2", p=0.1)
CAT = on(new("join", "cat"), wire("conv1 -> join.tensors.0"))
ADD = on(new("join", "add"), wire("conv1 -> join.input"))
TWO = edited(CAT, new("both", "cat"), wire("conv1 -> both.tensors.0"))


@pytest.mark.gate
@pytest.mark.parametrize(
    ("base", "ours", "theirs", "message"),
    [
        (
            LENET,
            on(put("conv1", padding=None)),
            on(put("conv1", padding=1)),
            "conv1: padding is not set in ours and 1 in theirs (2 before).",
        ),
        (
            LENET,
            trained(LENET, scheduler={"name": "StepLR", "step_size": 3}),
            trained(LENET, scheduler={"name": "ExponentialLR"}),
            'training: scheduler is {"name": "StepLR", "step_size": 3} in ours and '
            '{"name": "ExponentialLR"} in theirs (not set before).',
        ),
        (
            LENET,
            trained(LENET, optimizer="SGD"),
            trained(LENET, optimizer_settings={"eps": 0.1}),
            'training: optimizer and optimizer_settings are "SGD" in ours and "AdamW" with '
            '{"eps": 0.1} in theirs ("AdamW" before).',
        ),
        (
            LENET,
            replace(LENET, data={"source": "CSV"}),
            replace(LENET, data={"source": "iris"}),
            'data: source is "CSV" in ours and "iris" in theirs ("digits" before).',
        ),
        (
            LENET,
            on({"op": "replace", "node": "pool1", "block": "MaxPool2d"}),
            on(put("pool1", kernel_size=3)),
            'pool1: block and settings are "MaxPool2d" in ours and "AvgPool2d" with '
            '{"kernel_size": 3} in theirs ("AvgPool2d" with {"kernel_size": 2} before).',
        ),
        (
            LENET,
            without("conv1"),
            on(put("conv1", out_channels=8, kernel_size=3)),
            "conv1 was removed in ours; theirs sets out_channels to 8, sets kernel_size to 3.",
        ),
        (
            LENET,
            without("tanh1"),
            on(m.between("bn1", "BatchNorm2d", "tanh1")),
            "tanh1 was removed in ours; theirs wires bn1 -> tanh1.input.",
        ),
        (
            LENET,
            on(rename("tanh1", "squash")),
            without("tanh1"),
            "tanh1 was removed in theirs; ours renames it to squash.",
        ),
        (
            LENET,
            without("fc2"),
            on({"op": "share", "node": "fc3", "with": "fc2"}),
            "fc2 was removed in ours; theirs lets fc3 use its weights.",
        ),
        (
            LENET,
            without("fc2"),
            trained(LENET, start_from={"run": "a-001", "leave_out": ("fc2",)}),
            "fc2 was removed in ours; theirs names it in training.",
        ),
        (
            LENET,
            on(DROP),
            on(m.between("norm1", "LayerNorm", "fc2")),
            "fc2.input is fed by drop1 in ours and by norm1 in theirs (tanh3 before).",
        ),
        (
            LENET,
            on(DROP),
            on(m.between("drop1", "Dropout", "fc3", p=0.5)),
            'Both add a different drop1: Dropout {"p": 0.1} fed by tanh3 in ours, '
            'Dropout {"p": 0.5} fed by tanh4 in theirs.',
        ),
        (
            LENET,
            on(DROP),
            on({**DROP, "settings": {"p": 0.5}}),
            "drop1: p is 0.1 in ours and 0.5 in theirs (not set before).",
        ),
        (
            CAT,
            on(wire("tanh1 -> join.tensors.0"), base=CAT),
            on(wire("pool1 -> join.tensors.0"), base=CAT),
            "join.tensors is fed by tanh1 in ours and by pool1 in theirs (conv1 before).",
        ),
        (
            ADD,
            on({"op": "replace", "node": "join", "block": "cat"}, base=ADD),
            on(wire("tanh1 -> join.other"), base=ADD),
            "tanh1.output -> join.other is wired in theirs, but ours removed that port of join.",
        ),
        (
            TWO,
            on(wire("join -> both.tensors.1"), base=TWO),
            on(wire("both -> join.tensors.1"), base=TWO),
            "The wires of both sides together form a loop: join -> both -> join.",
        ),
        (
            LENET,
            on({"op": "share", "node": "fc2", "with": "fc1"}),
            on({"op": "share", "node": "fc1", "with": "fc3"}),
            "After the merge, fc2 shares the weights of fc1, which shares those of fc3.",
        ),
        (
            LENET,
            on(rename("conv1", "stem")),
            on(rename("conv1", "first")),
            "conv1 was renamed to stem in ours and to first in theirs.",
        ),
        (
            LENET,
            on(rename("conv1", "stem")),
            on(m.between("stem", "ReLU", "conv1")),
            "conv1 was renamed to stem in ours, but theirs adds another stem.",
        ),
        (
            LENET,
            on(m.between("stem", "ReLU", "conv1")),
            on(rename("conv1", "stem")),
            "conv1 was renamed to stem in theirs, but ours has another stem.",
        ),
        (
            RESNET,
            on(m.inside("Residual", put("conv1", kernel_size=5)), base=RESNET),
            on(m.inside("Residual", put("conv1", kernel_size=7)), base=RESNET),
            "Residual.conv1: kernel_size is 5 in ours and 7 in theirs (3 before).",
        ),
        (
            replace(LENET, notes=({"text": "a"},)),
            replace(LENET, notes=({"text": "b"},)),
            replace(LENET, notes=({"text": "c"},)),
            'note "a": text is "b" in ours and "c" in theirs ("a" before).',
        ),
    ],
)
def test_a_conflict_is_one_sentence(base: Project, ours: Project, theirs: Project, message: str):
    assert messages(base, ours, theirs) == [message]
    assert len(merge(base, theirs, ours).conflicts) == 1


@pytest.mark.parametrize(
    ("ours", "theirs", "target", "fed"),
    [
        (on(DROP), on(m.between("norm1", "LayerNorm", "fc2")), "fc2", "drop1"),
        (on(DROP), on(m.between("drop1", "Dropout", "fc3")), "fc3", "tanh4"),
        (without("tanh1"), on(m.between("bn1", "BatchNorm2d", "tanh1")), "pool1", "conv1"),
        (on(m.between("bn1", "BatchNorm2d", "tanh1")), without("tanh1"), "pool1", "tanh1"),
        (on(rename("conv1", "stem")), on(m.between("stem", "ReLU", "conv1")), "stem", "image"),
        (on(m.between("stem", "ReLU", "conv1")), on(rename("conv1", "stem")), "conv1", "stem"),
        (without("tanh1"), on(wire("tanh1 -> fc1")), "fc1", "flat"),
    ],
)
def test_where_sides_differ_the_wires_are_as_in_ours(
    ours: Project, theirs: Project, target: str, fed: str
):
    found = m.both(LENET, ours, theirs)
    assert found.conflicts
    assert wires(found.project, target) == [f"{fed} -> input"]


def test_a_loop_is_left_open_where_theirs_closes_it():
    ours = on(wire("join -> both.tensors.1"), base=TWO)
    found = m.both(TWO, ours, on(wire("both -> join.tensors.1"), base=TWO))
    assert found.project == ours
    assert found.conflicts[0].ours == ["join -> both"]
    assert found.conflicts[0].theirs == ["both -> join"]


def ordered(*first: str) -> Project:
    nodes = {name: LENET.graph.nodes[name] for name in (*first, *LENET.graph.nodes)}
    return replace(LENET, graph=replace(LENET.graph, nodes=nodes))


def test_two_new_orders_of_the_blocks_are_a_conflict_and_one_is_none():
    found = m.both(LENET, ordered("fc1"), ordered("tanh4"))
    assert [conflict.message for conflict in found.conflicts] == [
        "Both changed the order of blocks: fc1 before tanh4 in ours, tanh4 before fc1 in theirs."
    ]
    assert list(found.project.graph.nodes)[:2] == ["fc1", "image"]
    added = on(m.between("bn1", "BatchNorm2d", "tanh1"))
    nodes = list(m.clean(LENET, ordered("fc1"), added).graph.nodes)
    assert nodes[:4] == ["fc1", "image", "conv1", "bn1"]


def plain(project: Project) -> Project:
    """The ResNet without its composite."""
    uses = ("stage1", "stage2")
    swaps = ({"op": "replace", "node": name, "block": "ReLU"} for name in uses)
    found = edited(project, *swaps)
    return replace(found, graph=replace(found.graph, composites={}))


def test_a_composite_that_one_side_removes_and_the_other_uses_anew():
    used = on(new("stage3", "Residual"), base=RESNET)
    found = m.both(RESNET, used, plain(RESNET))
    message = "The composite Residual was removed in theirs; ours uses it for stage3."
    assert [conflict.message for conflict in found.conflicts] == [message]
    assert list(found.project.graph.composites) == ["Residual"]
    assert messages(RESNET, plain(RESNET), used) == [
        "The composite Residual was removed in ours; theirs uses it for stage3."
    ]


def with_part(project: Project, name: str, **nodes: Any) -> Project:
    made = edited(RESNET, *(m.inside("Residual", new(k, v)) for k, v in nodes.items()))
    part = made.graph.composites["Residual"]
    parts = {**project.graph.composites, name: part}
    return replace(project, graph=replace(project.graph, composites=parts))


def test_both_add_a_composite_of_one_name():
    ours, theirs = with_part(LENET, "Stage"), with_part(LENET, "Stage", more="ReLU")
    assert messages(LENET, ours, theirs) == ["Both add a composite Stage, with different contents."]
    assert m.both(LENET, ours, theirs).project == ours


def test_composites_that_would_hold_each_other_leave_ours_alone():
    base = with_part(with_part(LENET, "One"), "Two")
    ours = edited(base, m.inside("One", new("other", "Two")))
    theirs = edited(base, m.inside("Two", new("other", "One")), put("conv1", out_channels=8))
    found = m.both(base, ours, theirs)
    assert [conflict.message for conflict in found.conflicts] == [
        "The merged project does not open: composites.One contains itself: "
        "One -> Two -> One. Remove one of these uses."
    ]
    assert found.project == ours


def test_without_a_base_what_both_have_alike_is_no_conflict():
    theirs = trained(on(put("conv1", out_channels=8)), lr=0.1)
    assert messages(Project(), LENET, LENET) == []
    assert messages(Project(), LENET, theirs) == [
        "conv1: out_channels is 6 in ours and 8 in theirs (not set before).",
        "training: lr is 0.002 in ours and 0.1 in theirs (not set before).",
    ]
