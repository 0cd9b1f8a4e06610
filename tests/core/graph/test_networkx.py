"""networkx does the graph work: what a compile calls, what it says, and what a notebook gets."""

import io
import json
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import networkx as nx
import pytest

import core
from app.cli import main
from core.analyse import analyse
from core.graph import Composite, Edge, Graph, Node
from core.graph.networkx_graph import text_of, to_networkx
from core.graph.order import as_digraph, columns, cycle_through, order, reaches
from core.project import ProjectError, open_project
from core.project.composites import check_nesting
from tests.core.drawing import draw

ROOT = Path(__file__).parents[3]
DIAMOND = draw(
    {"x": ("Input", {"shape": (4,)}), "left": "ReLU", "right": ("Linear", {"out_features": 4}),
     "sum": "add", "y": "Output"},
    ["x -> left", "x -> right", "left -> sum.input", "right -> sum.other", "sum -> y"],
)  # fmt: skip


def test_a_compile_builds_one_view_and_orders_it_by_networkx(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    calls: Counter[str] = Counter()

    def counted(name: str) -> Callable[..., Any]:
        real = getattr(nx, name)

        def call(*given: Any, **named: Any) -> Any:
            calls[name] += 1
            return real(*given, **named)

        return call

    for name in ("DiGraph", "lexicographical_topological_sort"):
        monkeypatch.setattr(nx, name, counted(name))
    graph = replace(DIAMOND, nodes=dict(DIAMOND.nodes))
    report = analyse(graph)
    assert report.ok
    assert order(graph) == ["x", "left", "right", "sum", "y"]
    assert calls == {"DiGraph": 1, "lexicographical_topological_sort": 1}
    assert as_digraph(graph) is as_digraph(graph)
    with pytest.raises(nx.NetworkXError):
        as_digraph(graph).add_node("z")


def test_columns_are_longest_paths_from_a_source_or_to_an_end() -> None:
    assert columns(DIAMOND) == {"x": 0, "left": 1, "right": 1, "sum": 2, "y": 3}
    assert columns(DIAMOND, backwards=True) == {"y": 0, "sum": 1, "left": 2, "right": 2, "x": 3}


def test_a_cycle_is_named_along_its_wires_and_one_of_them_is_offered_for_removal() -> None:
    graph = draw(
        {"a": "add", "b": "ReLU", "c": "ReLU", "y": "Output"},
        ["c -> a.input", "c -> a.other", "b -> c", "a -> b", "b -> y"],
    )
    assert cycle_through(graph, "a") == ["a", "b", "c"]
    assert cycle_through(graph, "y") == []
    looped = draw({"a": "add", "c": "ReLU", "b": "ReLU"}, ["c -> a.input", "a -> b", "b -> c"])
    finding = next(f for f in analyse(looped).errors if f.code == "cycle")
    assert finding.message == "a is part of a loop: a -> b -> c -> a."
    assert not reaches(DIAMOND, "y", "x")
    assert reaches(DIAMOND, "x", "y")


def held(**inside: str) -> dict[str, Composite]:
    return {
        name: Composite(graph=Graph({"use": Node(inner)} if inner else {}))
        for name, inner in inside.items()
    }


def test_composites_that_hold_themselves_are_named_along_the_cycle() -> None:
    with pytest.raises(ProjectError, match="contains itself: A -> B -> A"):
        check_nesting(held(A="B", B="A"))


def test_composites_stand_at_most_32_deep_in_each_other() -> None:
    chain = {f"C{k}": f"C{k + 1}" for k in range(31)}
    check_nesting(held(**chain, C31=""))
    with pytest.raises(ProjectError, match="is nested 33 composites deep; at most 32"):
        check_nesting(held(**chain, C31="C32", C32=""))


def test_a_notebook_gets_blocks_wires_shapes_and_costs() -> None:
    graph = core.to_networkx(DIAMOND, analyse(DIAMOND))
    assert list(nx.topological_sort(graph)) == ["x", "left", "right", "sum", "y"]
    assert graph.nodes["right"] == {
        "block": "Linear", "label": "", "repeat": 1, "settings": '{"out_features": 4}',
        "shape": "(N, 4)", "params": 20, "mult_adds": 16, "activation_bytes": 16,
    }  # fmt: skip
    assert graph.edges["x", "right"] == {
        "ports": "output -> input", "shape": "(N, 4)", "mult_adds": 16,
    }  # fmt: skip
    assert nx.dag_longest_path(graph, "mult_adds") == ["x", "right"]
    assert nx.immediate_dominators(graph, "x")["sum"] == "x"


def test_wires_beside_each_other_are_one_edge_with_both_ports() -> None:
    twice = Graph(
        {"x": Node("Input"), "sum": Node("add")},
        (Edge("x", "output", "sum", "input"), Edge("x", "output", "sum", "other")),
    )
    assert to_networkx(twice).edges["x", "sum"] == {"ports": "output -> input, output -> other"}


def test_graphml_and_node_link_data_load_as_they_were() -> None:
    graph = to_networkx(DIAMOND, analyse(DIAMOND))
    loaded = nx.read_graphml(io.BytesIO(text_of(graph, "graphml").encode()))
    again = nx.node_link_graph(json.loads(text_of(graph, "json")), edges="edges")
    for each in (loaded, again):
        assert {**each.nodes} == {**graph.nodes}
        assert list(each.edges(data=True)) == list(graph.edges(data=True))


@pytest.mark.parametrize("name", ["lenet_digits", "unet_digits", "transformer_digits"])
def test_the_command_writes_every_drawing(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = ROOT / "projects" / f"{name}.loom.json"
    out = tmp_path / "drawing.graphml"
    assert main(["code", str(file), "--as", "networkx", "-o", str(out)]) == 0
    assert "networkx.read_graphml(" in capsys.readouterr().err
    assert list(nx.read_graphml(out)) == list(open_project(file).graph.nodes)
