"""Cutting blocks out of a graph: what becomes an Input, an Output, and why some are no part."""

from typing import Any

import pytest

from blocks.signature import N, Signature
from core.graph import Graph, GraphError
from core.graph.part import PartEnd, between, part_of
from core.project import graph_from_json

BLOCK: dict[str, Any] = {"block": "ReLU"}
NODES: dict[str, Any] = {
    "image": {"block": "Input", "settings": {"shape": [8]}},
    "fc1": {"block": "Linear", "settings": {"out_features": 8}},
    "relu1": BLOCK, "again": {"weights_of": "fc1"}, "join": {"block": "add"}, "relu2": BLOCK,
    "scale": {"block": "Parameter", "settings": {"shape": [8]}}, "scaled": {"block": "mul"},
    "logits": {"block": "Output"},
}  # fmt: skip
EDGES = ["image -> fc1", "fc1 -> relu1", "relu1 -> again", "relu1 -> join.input",
         "again -> join.other", "join -> relu2", "relu2 -> scaled.input",
         "scale -> scaled.other", "scaled -> logits"]  # fmt: skip
ROW = Signature((N, 8))
WIRES = {(name, "output"): ROW for name in NODES} | {("scale", "output"): Signature((8,))}


def graph(nodes: dict[str, Any] = NODES, edges: list[str] = EDGES) -> Graph:
    return graph_from_json({"nodes": nodes, "edges": edges})


def refusal(*chosen: str) -> str:
    with pytest.raises(GraphError) as caught:
        part_of(graph(), chosen, WIRES)
    return str(caught.value)


def test_wires_that_cross_become_an_input_and_an_output_each() -> None:
    made = part_of(graph(), ["join", "relu2"], WIRES)
    assert made.entries == (
        PartEnd("relu1", "relu1", "output"),
        PartEnd("again", "again", "output"),
    )
    assert made.leaves == (PartEnd("relu2_out", "relu2", "output"),)
    assert list(made.graph.nodes) == ["relu1", "again", "join", "relu2", "relu2_out"]
    assert made.graph.nodes["again"].block == "Input"
    assert made.graph.nodes["again"].settings == {"shape": (8,)}
    wires = [f"{e.source} -> {e.target}.{e.target_port}" for e in made.graph.edges]
    assert wires == ["relu1 -> join.input", "again -> join.other", "join -> relu2.input",
                     "relu2 -> relu2_out.input"]  # fmt: skip


def test_a_value_that_is_read_inside_and_outside_is_an_output_too() -> None:
    made = part_of(graph(), ["fc1", "relu1", "again"], WIRES)
    assert [end.id for end in made.leaves] == ["relu1_out", "again_out"]
    assert made.graph.nodes["again"].weights_of == "fc1"


def test_an_output_of_the_whole_that_follows_gives_its_name() -> None:
    assert part_of(graph(), ["scaled"], WIRES).leaves == (PartEnd("logits", "scaled", "output"),)


def test_what_no_sample_changes_comes_along() -> None:
    made = part_of(graph(), ["scaled"], WIRES)
    assert list(made.graph.nodes) == ["relu2", "scale", "scaled", "logits"]
    assert made.graph.nodes["scale"].block == "Parameter"


def test_all_blocks_on_the_ways_between_two() -> None:
    assert between(graph(), "relu1", "relu2") == ("relu1", "again", "join", "relu2")
    assert between(graph(), "", "fc1") == ("image", "fc1")
    assert between(graph(), "relu2") == ("relu2", "scaled", "logits")
    with pytest.raises(GraphError, match=r"fc1 cannot be reached from join\. Swap the two"):
        between(graph(), "join", "fc1")
    with pytest.raises(GraphError, match="nothing is not in the graph"):
        between(graph(), "nothing")


def test_refusals_say_which_block_and_what_to_do() -> None:
    assert refusal("relu1", "join") == ("again lies between the selected blocks. Select it, too.")
    assert refusal("again") == (
        "again shares the weights of fc1, which is not selected. Select fc1, too."
    )
    assert (
        refusal("image")
        == "The selection contains only Inputs and Outputs. Select other blocks, too."
    )


def test_blocks_that_hang_together_by_nothing_are_refused() -> None:
    nodes = {**NODES, "other": {"block": "Input", "settings": {"shape": [8]}}, "alone": BLOCK}
    wires = {**WIRES, ("other", "output"): ROW, ("alone", "output"): ROW}
    with pytest.raises(GraphError, match="alone is not connected to fc1 within the selection"):
        part_of(graph(nodes, [*EDGES, "other -> alone"]), ["fc1", "alone"], wires)


@pytest.mark.parametrize(
    ("shape", "message"),
    [((1, N, 8), "relu1 outputs (1, N, 8), but an Input needs N first"),
     ((N, None), "relu1 outputs (N, ?), but an Input needs N first"),
     (None, "relu1 has an error, so its output shape is unknown")],
)  # fmt: skip
def test_a_value_that_no_input_can_give_is_refused(shape: Any, message: str) -> None:
    wires = dict(WIRES)
    wires.pop(("relu1", "output"))
    if shape is not None:
        wires["relu1", "output"] = Signature(shape)
    with pytest.raises(GraphError) as caught:
        part_of(graph(), ["join"], wires)
    assert message in str(caught.value)
