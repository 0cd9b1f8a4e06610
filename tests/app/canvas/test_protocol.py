"""Messages of the canvas are untrusted input."""

import copy
import json
from pathlib import Path
from typing import Any

import pytest

from app.canvas.annotations import catalogue
from app.canvas.protocol import BadMessage, read_graph, read_layout, read_up
from core.graph import Graph
from core.graph.edits import apply
from core.graph.names import check_id
from core.project import graph_from_json, graph_to_json

FIXTURE: dict[str, Any] = json.loads((Path(__file__).parent / "protocol.json").read_text("utf-8"))


def message(**changes: Any) -> dict[str, Any]:
    return {**copy.deepcopy(FIXTURE["up"]), **changes}


def drawing() -> Graph:
    return graph_from_json(FIXTURE["project"]["graph"])


def test_the_message_of_the_fixture_is_read() -> None:
    up = read_up(message())
    assert (up.doc, up.epoch, up.rev, up.sem_rev) == ("two.loom.json", 1, 1, 1)
    assert up.graph is not None
    assert read_graph(up.graph).nodes["conv1"].settings["out_channels"] == 8


@pytest.mark.parametrize(
    "changes",
    [
        {"v": 2},
        {"v": None},
        {"doc": 3},
        {"doc": "x" * 5000},
        {"sid": None},
        {"rev": -1},
        {"rev": 1.0},
        {"rev": True},
        {"rev": 10**12},
        {"epoch": "1"},
        {"graph": []},
        {"graph": "nodes"},
        {"action": "train"},
        {"action": {"id": "a", "name": "shutdown", "args": {}}},
        {"action": {"id": 3, "name": "train"}},
        {"layout": {"a": [float("nan"), 0]}},
        {"layout": {"a": [float("inf"), 0]}},
        {"extra": "x" * 30_000},
        {"extra": 2**80},
        {"extra": [0] * 300_000},
    ],
)
def test_a_message_of_another_form_is_refused(changes: dict[str, Any]) -> None:
    with pytest.raises(BadMessage):
        read_up(message(**changes))


@pytest.mark.parametrize("found", [None, [], "up", 3])
def test_what_is_no_object_is_refused(found: Any) -> None:
    with pytest.raises(BadMessage, match="not an object"):
        read_up(found)


def test_a_message_too_deep_is_refused_without_recursion() -> None:
    deep: Any = 0
    for _ in range(100_000):
        deep = [deep]
    with pytest.raises(BadMessage, match="too deep"):
        read_up(message(extra=deep))


@pytest.mark.parametrize(
    ("graph", "place"),
    [
        ({"nodes": {"self": {"block": "ReLU"}}, "edges": []}, "graph.nodes"),
        ({"nodes": {"a": {"block": 3}}, "edges": []}, "graph.nodes.a"),
        ({"nodes": {}, "edges": ["a => b"]}, "graph.edges"),
        ({"nodes": {f"a{i}": {"block": "ReLU"} for i in range(2001)}, "edges": []}, "graph"),
    ],
)
def test_a_bad_graph_is_refused_with_its_place(graph: dict[str, Any], place: str) -> None:
    with pytest.raises(BadMessage, match=place):
        read_graph(graph)


def test_places_are_kept_for_nodes_only_and_only_where_they_are_places() -> None:
    found = {
        "image": [0, 8.0],
        "conv1": [1e9, 0],
        "join": [1],
        "scale": ["1", 0],
        "logits": [True, 0],
        "gone": [1, 1],
    }
    assert read_layout(found, drawing()) == {"image": (0, 8)}


@pytest.mark.parametrize("case", FIXTURE["edits"], ids=lambda case: case["name"])
def test_python_carries_out_edits_as_the_canvas_does(case: dict[str, Any]) -> None:
    after = graph_to_json(apply(drawing(), case["edits"]))
    assert (list(after["nodes"]), after["edges"]) == (case["nodes"], case["edges"])


def test_ids_are_judged_as_on_the_canvas() -> None:
    assert [check_id(name) for name in FIXTURE["ids"]["good"]] == [None] * 5
    assert all(check_id(name) for name in FIXTURE["ids"]["bad"])


def test_the_catalogue_says_whose_a_refused_name_is():
    reserved = catalogue()["reserved"]
    assert reserved["Tensor"] == "used by the generated code"
    assert reserved["class"] == "a keyword of Python"
    assert reserved["train"] == "an attribute that every nn.Module has"
    assert "input" not in reserved
    assert "x" not in reserved
    assert check_id("Tensor") == "is used by the generated code (Tensor); choose another"
