"""A drawing without errors gives a source that runs, whatever its settings are: every block in a
composite that is used twice, with all its settings from outside."""

import os
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from blocks import CATALOGUE, Block
from core.analyse import analyse
from core.analyse.run_once import run_once
from core.graph import Composite, Edge, Graph, Node
from core.graph.names import check_id
from tests.blocks.draws import given_settings
from tests.blocks.test_statements import wires

EXAMPLES = settings(
    max_examples=int(os.environ.get("EXAMPLES", "2")),
    deadline=None,
    derandomize="EXAMPLES" not in os.environ,
    database=None,
    suppress_health_check=tuple(HealthCheck),
)
ELSEWHERE = {"Input", "Output", "nms", "batched_nms", "CTCLoss"}


def drawn_twice(block: Block, first: dict[str, Any], second: dict[str, Any]) -> Graph:
    """Two uses of a composite of one block. Its settings come from outside where they differ."""
    names = {name: f"{name}_" if check_id(name) else name for name in first}
    inputs = places(block)
    inner = Graph(
        {
            **{f"in_{i}": Node("Input") for i in range(len(inputs))},
            "one": Node(block.name, {name: f"={names[name]}" for name in first}),
            "done": Node("Output"),
        },
        (
            *(Edge(f"in_{i}", "output", "one", port) for i, port in enumerate(inputs)),
            Edge("one", outputs(block), "done", "input"),
        ),
    )
    nodes = {f"in_{i}": Node("Input", shape(wire)) for i, wire in enumerate(inputs.values())}
    nodes |= {
        "a": Node("Twice", {names[n]: v for n, v in first.items()}),
        "b": Node("Twice", {names[n]: v for n, v in second.items()}),
        "first": Node("Output"),
        "second": Node("Output"),
    }
    edges = [
        *(Edge(f"in_{i}", "output", use, f"in_{i}") for use in "ab" for i in range(len(inputs))),
        Edge("a", "done", "first", "input"),
        Edge("b", "done", "second", "input"),
    ]
    composites = {"Twice": Composite({names[n]: v for n, v in first.items()}, inner)}
    return Graph(nodes, tuple(edges), composites)


def places(block: Block) -> dict[str, Any]:
    """What comes into each port, a list port wire by wire."""
    found: dict[str, Any] = {}
    for port, wire in wires(block).items():
        listed = isinstance(wire, tuple)
        found |= {f"{port}.{i}": w for i, w in enumerate(wire)} if listed else {port: wire}
    return found


def outputs(block: Block) -> str:
    port = block.outputs[0]
    return f"{port.name}.0" if port.listed else port.name


def shape(wire: Any) -> dict[str, Any]:
    return {"shape": tuple(wire.shape[1:]), "dtype": wire.dtype}


@pytest.mark.gate
@pytest.mark.parametrize("name", sorted(set(CATALOGUE) - ELSEWHERE))
@EXAMPLES
@given(data=st.data())
def test_what_has_no_error_runs_with_settings_from_outside(name: str, data: st.DataObject):
    block = CATALOGUE[name]
    first, second = (data.draw(given_settings(block)) for _ in range(2))
    report = analyse(drawn_twice(block, first, {n: second.get(n, v) for n, v in first.items()}))
    if report.ok:
        ran = run_once(report)
        assert ran.ok, f"{ran.errors[0].message}\n{report.source}"
