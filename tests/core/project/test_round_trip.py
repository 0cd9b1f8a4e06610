"""The canonical text: reading it gives the project back, writing that gives the same bytes."""

import json
import random
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings

from core.graph import Edge, Graph, Node
from core.project import (
    Project,
    ProjectError,
    graph_from_json,
    graph_to_json,
    read_text,
    write_text,
)
from tests.core.project.drawings import projects

ROOT = Path(__file__).parents[3]
CANONICAL = [ROOT / "tests/files/v1/sample.loom.json", *sorted(ROOT.glob("projects/*.loom.json"))]

CHAIN = """{
  "layerloom": 1,
  "name": "chain",
  "about": "",
  "graph": {
    "nodes": {
      "image": {"block": "Input", "settings": {"shape": [4]}},
      "fc1": {"block": "Linear", "settings": {"out_features": 3, "bias": false}},
      "logits": {"block": "Output"}
    },
    "edges": [
      "image -> fc1",
      "fc1 -> logits"
    ]
  },
  "composites": {},
  "data": {},
  "training": {},
  "notes": [],
  "layout": {
    "fc1": [10, 2.5]
  }
}
"""


def chain() -> Project:
    nodes = {
        "image": Node("Input", {"shape": (4,)}),
        "fc1": Node("Linear", {"bias": False, "out_features": 3}),
        "logits": Node("Output"),
    }
    edges = (Edge("image", "output", "fc1", "input"), Edge("fc1", "output", "logits", "input"))
    return Project("chain", "", Graph(nodes, edges), layout={"fc1": (10.0, 2.5)})


def test_a_project_is_written_one_node_and_one_edge_per_line():
    assert write_text(chain()) == CHAIN


def test_the_written_project_is_read_as_the_same():
    assert read_text(CHAIN) == chain()


def test_an_empty_project_is_written_with_all_its_parts():
    assert write_text(Project("new")) == (
        '{\n  "layerloom": 1,\n  "name": "new",\n  "about": "",\n'
        '  "graph": {\n    "nodes": {},\n    "edges": []\n  },\n  "composites": {},\n'
        '  "data": {},\n  "training": {},\n  "notes": [],\n  "layout": {}\n}\n'
    )


@pytest.mark.gate
@settings(max_examples=150, deadline=None)
@given(projects())
def test_reading_what_was_written_gives_the_project_back(project: Project):
    text = write_text(project)
    again = read_text(text)
    assert again == project
    assert write_text(again) == text


@pytest.mark.gate
@settings(max_examples=60, deadline=None)
@given(projects())
def test_the_graph_survives_the_way_to_the_canvas_and_back(project: Project):
    sent = json.loads(json.dumps(graph_to_json(project.graph)))
    assert graph_from_json(sent) == project.graph


@pytest.mark.gate
@settings(max_examples=60, deadline=None)
@given(projects())
def test_order_of_keys_and_white_space_do_not_matter(project: Project):
    text = write_text(project)
    found = json.loads(text)
    keys = list(found)
    random.Random(0).shuffle(keys)
    unsorted = {key: found[key] for key in keys}
    unsorted["graph"]["edges"].reverse()
    known = read_text(json.dumps(unsorted, indent=7))
    assert replace(known, extra={}) == replace(project, extra={})


@pytest.mark.parametrize("path", CANONICAL, ids=lambda path: path.name)
def test_files_we_ship_are_written_as_they_stand(path: Path):
    text = path.read_text("utf-8")
    assert write_text(read_text(text)) == text


def test_unknown_keys_stay_in_their_order():
    text = CHAIN.replace('"layout": {', '"layout": {').replace(
        "\n}\n", ',\n  "zeta": 1,\n  "alpha": {"y": 1, "b": [2, null]}\n}\n'
    )
    assert write_text(read_text(text)) == text


def test_numbers_keep_their_type():
    text = CHAIN.replace('"training": {}', '"training": {"lr": 1.0, "epochs": 1, "big": 1e+22}')
    assert write_text(read_text(text)) == text


@pytest.mark.parametrize("bad", [float("nan"), float("inf"), object(), {1, 2}, "\ud800"])
def test_what_json_cannot_hold_is_not_written(bad: object):
    with pytest.raises(ProjectError, match="has a value that a project file cannot store"):
        write_text(Project("x", training={"lr": bad}))


def test_a_target_port_is_written_only_where_there_are_several():
    nodes = {"a": Node("Linear"), "b": Node("add"), "c": Node("cat"), "d": Node("Mystery")}
    graph = graph_from_json(
        {
            "nodes": graph_to_json(Graph(nodes))["nodes"],
            "edges": ["a -> b", "a -> c", "b.output -> a.input", "a -> d", "d.second -> b.other"],
        }
    )
    assert graph_to_json(graph)["edges"] == [
        "b -> a",
        "a -> b.input",
        "d.second -> b.other",
        "a -> c.tensors.0",
        "a -> d",
    ]
