"""Topological order of the nodes: sources first, file order where the edges leave it open."""

# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportUnknownLambdaType=false
from collections.abc import Callable, Iterable
from heapq import heapify, heappop, heappush
from typing import TYPE_CHECKING

from core.graph.model import Graph

if TYPE_CHECKING:
    import networkx as nx


def as_digraph(graph: Graph) -> "nx.DiGraph[str]":
    """The wires as a networkx graph; wires to nodes that do not exist are left out."""
    import networkx as nx  # a tenth of a second, which who only opens a file need not wait

    digraph: nx.DiGraph[str] = nx.DiGraph()
    digraph.add_nodes_from(graph.nodes)
    digraph.add_edges_from(
        (e.source, e.target)
        for e in graph.edges
        if e.source in graph.nodes and e.target in graph.nodes
    )
    return digraph


def order(graph: Graph) -> list[str]:
    """Node ids, sources first. Nodes on or after a cycle are left out."""
    names = list(graph.nodes)
    rank = {name: index for index, name in enumerate(names)}
    missing = {
        name: len({e.source for e in graph.into(name) if e.source in rank}) for name in names
    }
    free = [rank[name] for name, count in missing.items() if not count]
    heapify(free)
    ordered: list[str] = []
    while free:
        name = names[heappop(free)]
        ordered.append(name)
        for target in {e.target for e in graph.out_of(name) if e.target in rank}:
            missing[target] -= 1
            if not missing[target]:
                heappush(free, rank[target])
    return ordered


def loops(graph: Graph) -> list[set[str]]:
    """Sets of nodes that feed each other in a circle."""
    import networkx as nx

    digraph = as_digraph(graph)
    parts = nx.strongly_connected_components(digraph)
    return [p for p in parts if len(p) > 1 or any(digraph.has_edge(n, n) for n in p)]


def find_cycle(graph: Graph) -> list[str] | None:
    """Ids along one closed loop of wires, or None."""
    import networkx as nx

    try:
        return [source for source, *_ in nx.find_cycle(as_digraph(graph))]
    except nx.NetworkXNoCycle:
        return None


def ancestors(graph: Graph, node: str) -> set[str]:
    """All nodes from which data can reach `node`."""
    return _reached(node, lambda name: (e.source for e in graph.into(name)), graph)


def descendants(graph: Graph, node: str) -> set[str]:
    """All nodes that data of `node` can reach."""
    return _reached(node, lambda name: (e.target for e in graph.out_of(name)), graph)


def _reached(node: str, beside: Callable[[str], Iterable[str]], graph: Graph) -> set[str]:
    reached: set[str] = set()
    work = [node]
    while work:
        new = {name for name in beside(work.pop()) if name in graph.nodes} - reached
        reached |= new
        work += new
    return reached - {node}
