"""Two drawings beside each other: what was added, taken away, set otherwise, wired otherwise."""

import json

from core.graph.difference import Difference, difference
from core.graph.model import Graph
from core.project import read_text


def graph(nodes: dict, edges: list[str], composites: dict | None = None) -> Graph:
    file = {"layerloom": 1, "name": "Net", "graph": {"nodes": nodes, "edges": edges}}
    if composites:
        file["composites"] = composites
    return read_text(json.dumps(file)).graph


NODES = {
    "row": {"block": "Input", "settings": {"shape": [4]}},
    "fc1": {"block": "Linear", "settings": {"out_features": 16}},
    "result": {"block": "Output"},
}
EDGES = ["row -> fc1", "fc1 -> result"]


def test_a_drawing_does_not_differ_from_itself() -> None:
    same = difference(graph(NODES, EDGES), graph(NODES, EDGES))
    assert same == Difference()
    assert not same


def test_an_inserted_block_and_a_changed_setting_are_listed_by_name() -> None:
    nodes = {
        "row": NODES["row"],
        "fc1": {"block": "Linear", "settings": {"out_features": 32, "bias": False}},
        "relu1": {"block": "ReLU"},
        "result": NODES["result"],
    }
    found = difference(
        graph(NODES, EDGES), graph(nodes, ["row -> fc1", "fc1 -> relu1", "relu1 -> result"])
    )
    assert found.added == ("relu1",)
    assert found.removed == ()
    assert found.changed == {"fc1": {"out_features": (16, 32), "bias": (None, False)}}
    assert found.wires_added == (
        ("fc1.output", "relu1.input"),
        ("relu1.output", "result.input"),
    )
    assert found.wires_removed == (("fc1.output", "result.input"),)


def test_a_replaced_block_and_a_change_inside_of_a_composite_are_listed_by_path() -> None:
    def drawing(block: str) -> Graph:
        inner = {"nodes": {"input": {"block": "Input"}, "act": {"block": block},
                           "output": {"block": "Output"}},
                 "edges": ["input -> act", "act -> output"]}  # fmt: skip
        nodes = {**NODES, "stage1": {"block": "Stage"}}
        edges = ["row -> fc1", "fc1 -> stage1", "stage1 -> result"]
        return graph(nodes, edges, {"Stage": {"settings": {}, **inner}})

    found = difference(drawing("ReLU"), drawing("GELU"))
    assert found == Difference(changed={"Stage.act": {"block": ("ReLU", "GELU")}})
