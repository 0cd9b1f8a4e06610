"""Settings that name blocks follow a rename, and nothing else."""

from dataclasses import replace
from typing import Any

from core.graph.edits import apply
from core.project import Project
from core.project.rename_references import with_graph
from core.project.renames import renamed
from core.project.templates import load_template
from core.project.values import frozen

LENET = load_template("lenet_digits")
NAMES = [name for name, node in LENET.graph.nodes.items() if node.block == "Linear"]


def after(project: Project, *edits: dict[str, Any]) -> Project:
    return with_graph(project, apply(project.graph, list(edits)))


def rename(name: str, to: str) -> dict[str, Any]:
    return {"op": "rename", "node": name, "to": to}


def starting(*leave_out: str) -> Project:
    start = {"run": "a-001", "leave_out": leave_out}
    return replace(LENET, training=frozen({**LENET.training, "start_from": start}))


def test_a_block_to_leave_out_is_left_out_under_its_new_name():
    last = NAMES[-1]
    found = after(starting(last, NAMES[0]), rename(last, "head"))
    assert list(found.training["start_from"]["leave_out"]) == ["head", NAMES[0]]
    back = after(found, rename("head", last))
    assert back == starting(last, NAMES[0])


def test_two_renames_at_once_are_kept_apart():
    first, last = NAMES[0], NAMES[-1]
    found = after(starting(first, last), rename(last, "z"), rename(first, "a"))
    assert list(found.training["start_from"]["leave_out"]) == ["a", "z"]


def test_a_block_inside_a_renamed_composite_keeps_its_own_name():
    last = NAMES[-1]
    found = after(starting(f"{last}.weight"), rename(last, "head"))
    assert list(found.training["start_from"]["leave_out"]) == ["head.weight"]


def test_a_block_that_is_deleted_while_another_is_added_is_no_rename():
    last = NAMES[-1]
    gone = {"op": "remove", "node": last}
    new = {"op": "add", "id": "other", "block": "Linear", "settings": {"out_features": 10}}
    found = after(starting(last), gone, new)
    assert list(found.training["start_from"]["leave_out"]) == [last]
    assert renamed(LENET.graph, LENET.graph) == {}


def test_losses_samples_and_inputs_follow_too():
    gan = load_template("dcgan_digits")
    found = after(gan, rename("generator", "maker"), rename("made_score", "score"))
    assert [loss["output"] for loss in found.training["losses"]] == ["real_score", "score", "score"]
    assert [loss["trains"] for loss in found.training["losses"]] == [
        "discriminator", "discriminator", "maker",
    ]  # fmt: skip
    noise = after(gan, rename("noise", "z"))
    assert dict(noise.data["inputs"]) == {"z": "noise", "real": "input"}
    vae = after(load_template("vae_digits"), rename("decoder", "artist"))
    assert vae.training["samples_from"] == "artist"
