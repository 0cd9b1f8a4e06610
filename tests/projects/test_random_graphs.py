"""Random graphs: what their source computes is what an independent interpreter computes."""

import json
import os
from typing import Any

import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core import analyse, build
from core.project import read_text
from tests.projects.interpreter import Interpreter

Json = dict[str, Any]
EXAMPLES = settings(
    max_examples=int(os.environ.get("EXAMPLES", "40")),
    deadline=None,
    derandomize="EXAMPLES" not in os.environ,
    database=None,
    suppress_health_check=tuple(HealthCheck),
)
# Blocks of one wire with settings; which fit where they are drawn, the analysis says.
ONE: tuple[tuple[str, Json], ...] = (
    ("Linear", {"out_features": 6}),
    ("Conv1d", {"out_channels": 4, "kernel_size": 1}),
    ("LayerNorm", {}),
    ("GRU", {"hidden_size": 6, "batch_first": True}),
    ("ReLU", {}),
    ("Softmin", {"dim": -1}),
    ("Hardshrink", {"lambd": 0.1}),
    ("ReflectionPad1d", {"padding": 1}),
    ("mul", {"other": -0.5}),
    ("sub", {"input": 1}),
    ("exp", {}),
    ("abs", {}),
    ("clamp", {"min": -1, "max": 2}),
    ("roll", {"shifts": 1, "dims": -1}),
    ("flip", {"dims": [1]}),
    ("permute", {"dims": [0, 2, 1]}),
    ("cumsum", {"dim": -1}),
    ("chunk", {"chunks": 2, "dim": -1}),
    ("Dropout", {}),
)
TWO: tuple[tuple[str, Json], ...] = (
    ("add", {}),
    ("mul", {}),
    ("sub", {}),
    ("maximum", {}),
    ("cat", {"dim": 1}),
    ("einsum", {"equation": "bij,bij->bi"}),
)
PORTS = {"cat": ("tensors.0", "tensors.1"), "einsum": ("operands.0", "operands.1")}


def project(nodes: Json, edges: list[str]) -> str:
    return json.dumps({"layerloom": 1, "name": "Random", "graph": {"nodes": nodes, "edges": edges}})


def accepted(nodes: Json, edges: list[str]) -> Any:
    """The report of a graph with an Output behind its last node; None if there are errors."""
    last = list(nodes)[-1]
    report = analyse(
        read_text(
            project({**nodes, "result": {"block": "Output"}}, [*edges, f"{last} -> result"])
        ).graph
    )
    return report if report.ok else None


def grown(data: st.DataObject) -> tuple[Json, list[str]]:
    """Draw a graph node by node, keeping those that the analysis accepts."""
    nodes: Json = {
        "data": {"block": "Input", "settings": {"shape": [4, 6]}},
        "token": {"block": "Parameter", "settings": {"shape": [1, 4, 6], "init": "normal"}},
        "joined": {"block": "add"},
        "count": {"block": "size", "settings": {"dim": 0}},
        "rows": {"block": "reshape", "settings": {"shape": [-1, 4, -1]}},
    }
    edges = ["data -> joined.input", "token -> joined.other", "data -> count",
             "joined -> rows.input", "count -> rows.shape.0"]  # fmt: skip
    values = ["data", "joined", "rows"]
    for index in range(data.draw(st.integers(2, 8))):
        block, given_ = data.draw(st.sampled_from(ONE + TWO))
        name = f"n{index}"
        ports = PORTS.get(block, ("input", "other")) if (block, given_) in TWO else ("input",)
        sources = [data.draw(st.sampled_from(values)) for _ in ports]
        port = "other" if given_.get("input") else ports[0]
        wires = [f"{s} -> {name}.{p}" for s, p in zip(sources, (port, *ports[1:]), strict=True)]
        more = {**nodes, name: {"block": block, "settings": given_}}
        if accepted(more, edges + wires):
            nodes, edges = more, edges + wires
            values += [f"{name}.output.{i}" for i in (0, 1)] if block == "chunk" else [name]
    return nodes, edges


@pytest.mark.gate
@EXAMPLES
@given(data=st.data())
def test_random_graphs_compute_what_the_interpreter_computes(data: st.DataObject):
    nodes, edges = grown(data)
    report = accepted(nodes, edges)
    module: Any = build(report.source).eval()
    drawn = {**nodes, "result": {"block": "Output"}}
    wires = [
        *edges,
        f"{list(nodes)[-1]}{'.output.0' * ('chunk' in str(list(nodes.values())[-1]))} -> result",
    ]
    other = Interpreter({"nodes": drawn, "edges": wires}, {}).eval()
    x = torch.randn(3, 4, 6, generator=torch.Generator().manual_seed(1))
    other(x)  # makes its modules
    other.load_state_dict(module.state_dict())
    assert torch.equal(module(x), other(x))
