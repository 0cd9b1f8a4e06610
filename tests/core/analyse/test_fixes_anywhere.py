"""A fix helps wherever the fault is: in composites, in repeats, in blocks that share weights."""

from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest

from core.analyse import analyse
from core.graph import Composite, Edge, Graph, Node
from core.graph.edits import apply
from tests.core.analyse.broken_graphs import CASES, WARNED, Case


def ends(graph: Graph) -> tuple[list[str], list[str]]:
    return list(graph.of_block("Input")), list(graph.of_block("Output"))


def inside(graph: Graph, repeat: int = 1, block: str = "Part") -> Graph:
    """The drawing as a composite, used once between the same ends."""
    inputs, outputs = ends(graph)
    nodes = {name: graph.nodes[name] for name in inputs}
    nodes |= {"use": Node(block, repeat=repeat), **{name: Node("Output") for name in outputs}}
    edges = [Edge(name, "output", "use", name) for name in inputs]
    edges += [Edge("use", name, name, "input") for name in outputs]
    part = Composite({}, Graph(graph.nodes, graph.edges))
    return Graph(nodes, tuple(edges), {**graph.composites, block: part})


def used_again(graph: Graph, again: Node) -> Graph:
    """The drawing as a composite with a second use."""
    once, (inputs, outputs) = inside(graph), ends(graph)
    nodes = {**once.nodes, "again": again, **{f"{name}_too": Node("Output") for name in outputs}}
    edges = [Edge(name, "output", "again", name) for name in inputs]
    edges += [Edge("again", name, f"{name}_too", "input") for name in outputs]
    return Graph(nodes, (*once.edges, *edges), once.composites)


def shared(case: Case) -> Graph:
    """The drawing with a block that shares the weights of the faulty one."""
    graph, node = case.graph, case.node
    into = [Edge(e.source, e.source_port, "more", e.target_port) for e in graph.into(node)]
    nodes = {**graph.nodes, "more": Node("", weights_of=node), "more_out": Node("Output")}
    edges = (*graph.edges, *into, Edge("more", "output", "more_out", "input"))
    return Graph(nodes, edges, graph.composites)


def repeated(case: Case) -> Graph:
    nodes = {**case.graph.nodes, case.node: replace(case.graph.nodes[case.node], repeat=2)}
    return Graph(nodes, case.graph.edges, case.graph.composites)


def around(make: Callable[[Graph], Graph]) -> Iterator[tuple[Case, Graph]]:
    """All drawings that have ends, put into something."""
    return ((case, make(case.graph)) for case in ALL if all(ends(case.graph)))


def of_node(make: Callable[[Case], Graph]) -> Iterator[tuple[Case, Graph]]:
    """All drawings whose faulty node is a block of its own, changed at that node."""
    nodes = ((case, case.graph.nodes.get(case.node)) for case in ALL)
    return ((case, make(case)) for case, node in nodes if node and node.block)


ALL = (*CASES, *WARNED)
WAYS: dict[str, Callable[[], Iterator[tuple[Case, Graph]]]] = {
    "plain": lambda: ((case, case.graph) for case in ALL),
    "in a composite": lambda: around(inside),
    "in a repeated composite": lambda: around(lambda graph: inside(graph, 2)),
    "in a composite of a composite": lambda: around(lambda g: inside(inside(g), block="Outer")),
    "used twice": lambda: around(lambda graph: used_again(graph, Node("Part"))),
    "shared": lambda: around(lambda graph: used_again(graph, Node("", weights_of="use"))),
    "a repeated node": lambda: of_node(repeated),
    "a node whose weights are shared": lambda: of_node(shared),
}


@pytest.mark.slow
@pytest.mark.parametrize("way", WAYS)
def test_every_offered_fix_changes_the_drawing_and_takes_its_fault_away(way: str):
    tried = 0
    for case, graph in WAYS[way]():
        report = analyse(graph)
        for finding in (*report.errors, *report.warnings):
            description = f"{case.code} of {case.node}: {finding.message}"
            assert finding.fixes or finding in report.warnings, description
            for fix in finding.fixes:
                mended = apply(graph, fix["edits"])
                assert mended != graph, (description, fix["title"])
                after = analyse(mended)
                left = {(f.node, f.code, f.message) for f in (*after.errors, *after.warnings)}
                key = (finding.node, finding.code, finding.message)
                assert key not in left, (description, fix["title"])
                tried += 1
    assert tried > 50
