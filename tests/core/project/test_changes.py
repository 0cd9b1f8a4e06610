"""In what a project differs from an older one: a renamed block is the same one, told as renamed."""

import json
from typing import Any

from core.graph.difference import Difference
from core.project import Project, read_text, write_text
from core.project.changes import changes

EDGES = ["row -> fc1", "fc1 -> stage1", "stage1 -> result"]


def project(name: str = "fc1", stage: str = "Stage", act: str = "act", **more: Any) -> Project:
    part = {
        "settings": {},
        "nodes": {
            "input": {"block": "Input"},
            act: {"block": "ReLU"},
            "output": {"block": "Output"},
        },
        "edges": [f"input -> {act}", f"{act} -> output"],
    }
    nodes = {
        "row": {"block": "Input", "settings": {"shape": [4]}},
        name: {"block": "Linear", "settings": {"out_features": more.pop("out_features", 3)}},
        "stage1": {"block": stage},
        "result": {"block": "Output"},
    }
    edges = [edge.replace("fc1", name) for edge in EDGES]
    whole = {"layerloom": 1, "name": "Net", "graph": {"nodes": nodes, "edges": edges}}
    return read_text(json.dumps({**whole, "composites": {stage: part}, **more}))


def test_a_block_that_only_has_another_name_is_reported_as_renamed() -> None:
    found, settings = changes(project(), project("head"))
    assert found == Difference(renamed={"fc1": "head"})
    assert found
    assert settings == {}


def test_what_else_changed_is_reported_under_the_new_name() -> None:
    found, _ = changes(project(), project("head", out_features=5))
    assert found == Difference(changed={"head": {"out_features": (3, 5)}}, renamed={"fc1": "head"})


def test_renamed_composites_and_blocks_inside_are_reported_by_path() -> None:
    found, _ = changes(project(), project(stage="Block"))
    assert found == Difference(renamed={"Stage": "Block"})
    found, _ = changes(project(), project(act="bend"))
    assert found == Difference(renamed={"Stage.act": "Stage.bend"})


def test_settings_that_name_a_block_do_not_differ_when_they_follow_it() -> None:
    old = project(training={"lr": 0.1, "samples_from": "fc1"})
    new = project("head", training={"lr": 0.2, "samples_from": "head"})
    assert changes(old, new)[1] == {"training.lr": (0.1, 0.2)}


def test_a_project_does_not_differ_from_itself() -> None:
    found, settings = changes(project(), read_text(write_text(project())))
    assert not found
    assert settings == {}
