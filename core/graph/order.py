"""The order in which nodes run: sources first, the file's order where the wires leave it open."""

# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportUnknownLambdaType=false
import networkx as nx

from core.graph.model import Graph


def as_digraph(graph: Graph) -> "nx.DiGraph[str]":
    """The wires as a networkx graph; wires to nodes that do not exist are left out."""
    drawing: nx.DiGraph[str] = nx.DiGraph()
    drawing.add_nodes_from(graph.nodes)
    drawing.add_edges_from(
        (e.source, e.target)
        for e in graph.edges
        if e.source in graph.nodes and e.target in graph.nodes
    )
    return drawing


def order(graph: Graph) -> list[str]:
    """Node ids, sources first. Nodes on or after a cycle are left out."""
    drawing = as_digraph(graph)
    looped = {
        n for part in nx.strongly_connected_components(drawing) if len(part) > 1 for n in part
    }
    looped |= {n for n in drawing if drawing.has_edge(n, n)}
    for node in list(looped):
        if node in drawing:
            drawing.remove_nodes_from([node, *nx.descendants(drawing, node)])
    rank = {name: index for index, name in enumerate(graph.nodes)}
    return list(nx.lexicographical_topological_sort(drawing, key=lambda name: rank[name]))


def loops(graph: Graph) -> list[set[str]]:
    """Sets of nodes that feed each other in a circle."""
    drawing = as_digraph(graph)
    parts = nx.strongly_connected_components(drawing)
    return [p for p in parts if len(p) > 1 or any(drawing.has_edge(n, n) for n in p)]


def find_cycle(graph: Graph) -> list[str] | None:
    """Ids along one closed loop of wires, or None."""
    try:
        return [source for source, *_ in nx.find_cycle(as_digraph(graph))]
    except nx.NetworkXNoCycle:
        return None


def ancestors(graph: Graph, node: str) -> set[str]:
    """All nodes from which data can reach `node`."""
    return set(nx.ancestors(as_digraph(graph), node))
