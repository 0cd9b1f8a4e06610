"""The order of nodes, cycles and reachability: the wires as one networkx graph."""

# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, TypeVar

from core.common.bounded_cache import cached_by_identity
from core.graph.model import Composite, Edge, Graph, Node

if TYPE_CHECKING:
    import networkx as nx

Found = TypeVar("Found")
VIEWS = 64
"""Graphs whose view is kept. An undo history holds far more graphs than anybody asks about."""


@cached_by_identity(VIEWS)
def as_digraph(graph: Graph) -> "nx.DiGraph[str]":
    """The wires as a read-only networkx graph, nodes in file order; made once for each graph.

    Wires to nodes that do not exist are left out; parallel wires are one edge.
    """
    import networkx as nx  # a tenth of a second, which who only opens a file need not wait

    digraph: nx.DiGraph[str] = nx.DiGraph()
    digraph.add_nodes_from(graph.nodes)
    digraph.add_edges_from(
        (e.source, e.target)
        for e in graph.edges
        if e.source in graph.nodes and e.target in graph.nodes
    )
    return nx.freeze(digraph)


def order(graph: Graph) -> list[str]:
    """Node ids, sources first, in file order where the wires leave it open.

    Nodes on or after a cycle are left out.
    """
    return list(_ordered(graph))


@cached_by_identity(VIEWS)
def _ordered(graph: Graph) -> tuple[str, ...]:
    import networkx as nx

    rank = {name: index for index, name in enumerate(graph.nodes)}
    return tuple(
        _up_to_a_cycle(nx.lexicographical_topological_sort(as_digraph(graph), rank.__getitem__))
    )


def _up_to_a_cycle(steps: Iterable[Found]) -> Iterator[Found]:
    """What a topological walk of networkx gives before it meets a cycle."""
    import networkx as nx

    try:
        yield from steps
    except nx.NetworkXUnfeasible:
        return


def columns(graph: Graph, backwards: bool = False) -> dict[str, int]:
    """How many nodes stand before each one on its longest path from a source.

    backwards: after each one, on its longest path to an end. Nodes on or beyond a cycle are left
    out.
    """
    import networkx as nx

    view = as_digraph(graph)
    way = view.reverse(copy=False) if backwards else view
    generations = _up_to_a_cycle(nx.topological_generations(way))
    return {name: column for column, names in enumerate(generations) for name in names}


def loops(graph: Graph) -> list[set[str]]:
    """Sets of nodes that feed each other in a circle."""
    import networkx as nx

    digraph = as_digraph(graph)
    parts = nx.strongly_connected_components(digraph)
    return [p for p in parts if len(p) > 1 or any(digraph.has_edge(n, n) for n in p)]


def cycle_through(graph: Graph, node: str) -> list[str]:
    """Ids along a shortest cycle of wires that begins at a node; [] where there is none."""
    import networkx as nx

    digraph = as_digraph(graph)
    if digraph.has_edge(node, node):
        return [node]
    back = nx.single_target_shortest_path(digraph, node)
    ways = [back[after] for after in digraph.successors(node) if after in back]
    return [node, *min(ways, key=len)[:-1]] if ways else []


def find_cycle(graph: Graph) -> list[str] | None:
    """Ids along one closed loop of wires, or None."""
    import networkx as nx

    try:
        return [source for source, *_ in nx.find_cycle(as_digraph(graph))]
    except nx.NetworkXNoCycle:
        return None


def ancestors(graph: Graph, *nodes: str) -> set[str]:
    """All nodes from which data can reach one of `nodes`, without these."""
    import networkx as nx

    digraph = as_digraph(graph)
    return set[str]().union(*(nx.ancestors(digraph, n) for n in nodes if n in digraph)) - {*nodes}


def descendants(graph: Graph, *nodes: str) -> set[str]:
    """All nodes that data of one of `nodes` can reach, without these."""
    import networkx as nx

    digraph = as_digraph(graph)
    return set[str]().union(*(nx.descendants(digraph, n) for n in nodes if n in digraph)) - {*nodes}


def reaches(graph: Graph, source: str, target: str) -> bool:
    """Whether data of `source` reaches `target`, itself included."""
    import networkx as nx

    return nx.has_path(as_digraph(graph), source, target)


def connected(links: Iterable[tuple[str, str]], start: str) -> set[str]:
    """All names that hang together with `start` over links, whichever way they point."""
    import networkx as nx

    links_both_ways: nx.Graph[str] = nx.Graph(links)
    links_both_ways.add_node(start)
    return nx.node_connected_component(links_both_ways, start)


def nesting(composites: Mapping[str, Composite]) -> Graph:
    """Composites as nodes, with a wire from each to those that it holds."""
    held = [
        Edge(name, "", inner.block, "")
        for name, part in composites.items()
        for inner in part.graph.nodes.values()
        if inner.block in composites
    ]
    return Graph({name: Node("") for name in composites}, tuple(held))
