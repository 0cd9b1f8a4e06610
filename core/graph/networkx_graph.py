"""A drawing as a networkx graph, for a notebook: blocks, wires, shapes and costs."""

# pyright: reportUnknownMemberType=false
import json
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Protocol

from core.graph.model import Edge, Graph, Node

if TYPE_CHECKING:
    import networkx as nx

COSTS = ("params", "mult_adds", "activation_bytes")
GRAPHML, NODE_LINK = "graphml", "json"
LOADING = {
    GRAPHML: "networkx.read_graphml({file!r})",
    NODE_LINK: "networkx.node_link_graph(json.load(open({file!r})), edges='edges')",
}


class Analysed(Protocol):
    """The report of each node, see `core.analyse.report`."""

    @property
    def nodes(self) -> Mapping[str, Any]: ...


def to_networkx(graph: Graph, report: Analysed | None = None) -> "nx.DiGraph[str]":
    """A drawing as a networkx.DiGraph: a node for each block, by its id and in file order.

    A node has "block", "label", "repeat" and "settings" (JSON); an edge has "ports", such as
    "output -> input", several where several wires run between two blocks. report: of `analyse`; a
    node then has "shape" too, what leaves it, and "params", "mult_adds" and "activation_bytes" for
    one sample, and an edge has "shape" and the "mult_adds" of the block that it enters, which makes
    `networkx.dag_longest_path(g, "mult_adds")` the costliest path. What is inside a composite is
    `to_networkx(graph.composites[name].graph)`. All attributes can be written as GraphML.
    """
    import networkx as nx

    made: nx.DiGraph[str] = nx.DiGraph()
    for name, node in graph.nodes.items():
        made.add_node(name, **_of_node(node), **_costs(name, report))
    wires: dict[tuple[str, str], list[Edge]] = {}
    for edge in graph.edges:
        if edge.source in graph.nodes and edge.target in graph.nodes:
            wires.setdefault((edge.source, edge.target), []).append(edge)
    for (source, target), between in wires.items():
        made.add_edge(source, target, **_of_wires(between, report))
    return made


def text_of(graph: "nx.DiGraph[str]", form: str) -> str:
    """A networkx graph as the text of a file: "graphml", or "json" for node-link data."""
    import networkx as nx

    if form == NODE_LINK:
        return json.dumps(nx.node_link_data(graph, edges="edges"), indent=1) + "\n"
    lines: Iterable[str] = nx.generate_graphml(graph)
    return "\n".join(lines) + "\n"


def _of_node(node: Node) -> dict[str, Any]:
    settings = json.dumps(dict(node.settings))
    return {"block": node.block, "label": node.label, "repeat": node.repeat, "settings": settings}


def _costs(name: str, report: Analysed | None) -> dict[str, Any]:
    found = report.nodes.get(name) if report else None
    if found is None:
        return {}
    shapes = ", ".join(map(str, found.outputs.values()))
    return {"shape": shapes, **{cost: getattr(found, cost) for cost in COSTS}}


def _of_wires(between: list[Edge], report: Analysed | None) -> dict[str, Any]:
    ports = ", ".join(f"{e.source_port} -> {e.target_port}" for e in between)
    if report is None or not {between[0].source, between[0].target} <= report.nodes.keys():
        return {"ports": ports}
    outputs = report.nodes[between[0].source].outputs
    shapes = dict.fromkeys(str(outputs[e.source_port]) for e in between if e.source_port in outputs)
    cost = report.nodes[between[0].target].mult_adds
    return {"ports": ports, "shape": ", ".join(shapes), "mult_adds": cost}
