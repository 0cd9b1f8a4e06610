"""How blocks learn, in the file: frozen ones, and factors of the learning rate."""

import json
from typing import Any

import pytest

from core.graph import GraphError
from core.graph.difference import difference
from core.graph.edits import apply, rename
from core.project import ProjectError, read_text, write_text


def file(**marks: Any) -> str:
    nodes = {
        "image": {"block": "Input", "settings": {"shape": [4]}},
        "fc1": {"block": "Linear", "settings": {"out_features": 3}, **marks},
        "again": {"weights_of": "fc1"},
        "logits": {"block": "Output"},
    }
    edges = ["image -> fc1", "fc1 -> logits"]
    return json.dumps({"layerloom": 1, "name": "Net", "graph": {"nodes": nodes, "edges": edges}})


def test_marks_come_back_from_the_file_as_they_were():
    project = read_text(file(frozen=True, lr_factor=0.1))
    assert '"frozen": true, "lr_factor": 0.1' in write_text(project)
    assert read_text(write_text(project)) == project
    assert "frozen" not in write_text(read_text(file(frozen=False, lr_factor=1)))


@pytest.mark.parametrize(
    ("marks", "message"),
    [
        ({"frozen": 1}, "graph.nodes.fc1.frozen needs true or false but receives 1."),
        ({"lr_factor": 0}, "graph.nodes.fc1.lr_factor needs a number from 1e-06 to 1000"),
        ({"lr_factor": "0.1"}, 'but receives "0.1".'),
    ],
)
def test_marks_that_are_none_are_refused_at_their_place(marks: dict[str, Any], message: str):
    with pytest.raises(ProjectError) as refused:
        read_text(file(**marks))
    assert message in str(refused.value)


def test_a_mark_where_weights_are_shared_is_referred_to_the_owner():
    text = file().replace('"weights_of": "fc1"', '"weights_of": "fc1", "frozen": true')
    assert ("graph.nodes.again.frozen", "has no effect here; set it on fc1.") in read_text(
        text
    ).notices
    with pytest.raises(GraphError, match="again shares the weights of fc1"):
        apply(read_text(file()).graph, [{"op": "learn", "node": "again", "frozen": True}])


def test_marks_follow_renaming_and_go_to_the_heir_of_deleted_weights():
    graph = read_text(file(frozen=True, lr_factor=0.5)).graph
    renamed = rename(graph, "fc1", "body")
    assert (renamed.nodes["body"].frozen, renamed.nodes["body"].lr_factor) == (True, 0.5)
    heir = apply(graph, [{"op": "remove", "node": "fc1"}]).nodes["again"]
    assert (heir.block, heir.frozen, heir.lr_factor) == ("Linear", True, 0.5)


def test_a_difference_names_what_was_frozen():
    old, new = read_text(file()).graph, read_text(file(frozen=True)).graph
    assert difference(old, new).changed == {"fc1": {"frozen": (False, True)}}


def test_a_block_that_forward_does_not_use_is_marked_in_the_file_and_in_a_diff():
    kept, used = read_text(file(unused=True)), read_text(file())
    assert kept.graph.nodes["fc1"].unused
    assert '"unused": true' in write_text(kept)
    assert "unused" not in write_text(used)
    assert difference(used.graph, kept.graph).changed == {"fc1": {"unused": (False, True)}}
