"""Fixes that move a wire: to another port, from another output, from another block."""

from collections.abc import Iterator, Mapping
from typing import Any

from blocks import CATALOGUE, Port
from core.analyse.remedies import Offer, is_applicable, offer
from core.graph import Edge, Graph
from core.graph.order import descendants
from core.graph.ports import first_port, has_port, input_ports, output_ports, resolve, write_edge


def other_port(graph: Graph, edge: Edge) -> Iterator[Offer]:
    """Offer a port that is there, for a wire into one that is not."""
    node = resolve(graph.nodes[edge.target], graph.nodes)
    taken = {e.target_port for e in graph.into(edge.target)}
    for port in input_ports(node, graph.composites):
        name = f"{port.name}.0" if port.listed else port.name
        if name in taken:
            continue
        old = write_edge(edge, graph.nodes, graph.composites)
        new = write_edge(
            Edge(edge.source, edge.source_port, edge.target, name), graph.nodes, graph.composites
        )
        yield offer(
            f"Connect it to {port.name}",
            {"op": "disconnect", "edge": old},
            {"op": "connect", "edge": new},
        )
        return


def other_output(graph: Graph, edge: Edge, there: Mapping[str, Any]) -> Iterator[Offer]:
    """Offer an output that has a value, for a wire from one that has none."""
    source = resolve(graph.nodes[edge.source], graph.nodes)
    block = CATALOGUE.get(source.block)
    flag = block.setting("need_weights") if block else None
    if flag is not None and source.settings.get("need_weights", flag.default) is not True:
        on = {"op": "set", "node": edge.source, "settings": {"need_weights": True}}
        yield offer(f"Set need_weights of {edge.source} to true", on)
    for port in list(there)[:1]:
        new = Edge(edge.source, port, edge.target, edge.target_port)
        text = write_edge(new, graph.nodes, graph.composites)
        made = offer(f"Connect {port} of {edge.source} instead", {"op": "connect", "edge": text})
        if is_applicable(graph, made):
            yield made


def rewired(graph: Graph, node: str, port: str) -> tuple[Offer, ...]:
    """Offer wires of the right kind for a port that gets a wire of the wrong one."""
    into = input_ports(resolve(graph.nodes[node], graph.nodes), graph.composites)
    whole = any(p.name == port.split(".")[0] and p.kind in ("size", "sizes") for p in into)
    now = next((e for e in graph.into(node) if e.target_port == port), None)
    offers: list[Offer] = []
    behind = descendants(graph, node)
    for source in reversed(list(graph.nodes)):
        ports = output_ports(resolve(graph.nodes[source], graph.nodes), graph.composites)
        fits = bool(ports) and has_port(ports, first_port(ports))
        if not fits or is_size(graph, source, ports[0]) != whole or source == node:
            continue
        if source in behind or (now and now.source == source):
            continue
        edge = Edge(source, first_port(ports), node, port)
        text = write_edge(edge, graph.nodes, graph.composites)
        offers.append(offer(f"Connect {source} to it instead", {"op": "connect", "edge": text}))
    return tuple(offers[:2])


def is_size(graph: Graph, name: str, port: Port) -> bool:
    """Whether an integer comes out of a port, also out of a composite that hands one on."""
    block = resolve(graph.nodes[name], graph.nodes).block
    if block not in graph.composites:
        return port.kind == "size"
    inner = graph.composites[block].graph
    part = Graph(inner.nodes, inner.edges, graph.composites)
    for edge in inner.into(port.name):
        ports = output_ports(resolve(inner.nodes[edge.source], inner.nodes), graph.composites)
        made = next((p for p in ports if p.name == edge.source_port), None)
        return made is not None and is_size(part, edge.source, made)
    return False
