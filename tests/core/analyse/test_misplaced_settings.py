"""A setting written beside `settings` is an error whose remedy moves it, not a quiet notice."""

import json

import pytest

from core.analyse import analyse_project
from core.project import Project, read_text, write_text


def project(fc: dict[str, object]) -> Project:
    nodes = {
        "x": {"block": "Input", "settings": {"shape": [4]}},
        "fc": {"block": "Linear", "settings": {"out_features": 3}, **fc},
        "out": {"block": "Output"},
    }
    graph = {"nodes": nodes, "edges": ["x -> fc", "fc -> out"]}
    return read_text(json.dumps({"layerloom": 1, "name": "Levels", "graph": graph}))


@pytest.mark.parametrize(("key", "value"), [("parametrize", "weight_norm"), ("bias", False)])
def test_a_setting_beside_the_settings_is_an_error(key: str, value: object) -> None:
    (problem,) = analyse_project(project({key: value})).errors
    assert problem.code == "misplaced_setting"
    assert f"fc has {key!r} ({value!r}) beside its settings" in problem.message
    assert "settings" in problem.hint
    (fix,) = problem.fixes
    assert fix["edits"] == [{"op": "set", "node": "fc", "settings": {key: value}}]
    assert fix["title"] == f"Move {key!r} into the settings"


def test_it_is_kept_in_the_file() -> None:
    assert '"parametrize": "weight_norm"' in write_text(project({"parametrize": "weight_norm"}))


def test_a_key_that_no_block_knows_is_only_noticed() -> None:
    read = project({"colour": "red"})
    assert not analyse_project(read).errors
    assert read.notices == (
        ("graph.nodes.fc.colour", "is not known to this version; it is kept unchanged."),
    )


@pytest.mark.parametrize("key", ["repeat", "frozen", "weights_of"])
def test_a_key_of_the_node_among_the_settings_is_an_error(key: str) -> None:
    settings = {"out_features": 3, key: 1}
    (problem,) = analyse_project(project({"settings": settings})).errors
    assert key in problem.message
