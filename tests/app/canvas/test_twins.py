"""Rules that Python and the browser both know: one list of cases, which both must answer alike.

frontend/tests/twins.test.ts reads the same cases.
"""

import json
from pathlib import Path
from typing import Any

import pytest

from blocks import CATALOGUE
from core.graph import GraphError
from core.graph.edits import connect
from core.graph.expression import ExpressionError, evaluate
from core.graph.names import check_id, default_base, fresh_id
from core.graph.ports import parse_edge, resolve, write_edge
from core.project import graph_from_json

CASES = json.loads((Path(__file__).parent / "twins.json").read_text("utf-8"))
EXPRESSION, NAMES, PORTS = CASES["expression"], CASES["names"], CASES["ports"]
UNUSED = CASES["unused"]


@pytest.mark.parametrize(("text", "value"), EXPRESSION["values"])
def test_an_expression_has_this_value(text: str, value: Any):
    assert evaluate(text, EXPRESSION["env"]) == value


@pytest.mark.parametrize("text", EXPRESSION["refused"])
def test_an_expression_is_refused(text: str):
    with pytest.raises(ExpressionError):
        evaluate(text, EXPRESSION["env"])


def test_names_that_may_be_ids_and_names_that_may_not():
    assert [name for name in NAMES["good"] if check_id(name)] == []
    assert [name for name in NAMES["bad"] if not check_id(name)] == []


@pytest.mark.parametrize(("block", "stem"), NAMES["stems"])
def test_ids_of_a_block_have_this_stem(block: str, stem: str):
    family = CATALOGUE[block].family if block in CATALOGUE else ""
    assert default_base(block, family) == stem


@pytest.mark.parametrize(("stem", "taken", "name"), NAMES["fresh"])
def test_the_first_free_id_is_this(stem: str, taken: list[str], name: str):
    assert fresh_id(stem, set(taken)) == name


@pytest.mark.parametrize(("text", "ends", "written"), PORTS["wires"])
def test_a_wire_has_these_ends_and_is_written_so(text: str, ends: list[str], written: str):
    graph = graph_from_json({"nodes": PORTS["nodes"], "edges": []})
    nodes = {name: resolve(node, graph.nodes) for name, node in graph.nodes.items()}
    edge = parse_edge(text, nodes, {})
    assert [edge.source, edge.source_port, edge.target, edge.target_port] == ends
    assert write_edge(edge, nodes, {}) == written


@pytest.mark.parametrize("text", PORTS["refused"])
def test_a_text_is_no_wire(text: str):
    with pytest.raises(GraphError):
        parse_edge(text, {}, {})


@pytest.mark.parametrize(("text", "unused"), UNUSED["after_wire"])
def test_these_nodes_are_unused_after_a_wire(text: str, unused: list[str]):
    graph = graph_from_json({"nodes": UNUSED["nodes"], "edges": []})
    wired = connect(graph, parse_edge(text, graph.nodes, {}))
    assert [name for name, node in wired.nodes.items() if node.unused] == unused
