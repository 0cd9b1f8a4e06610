"""Turn a block's relative fixes into edits that name nodes; fixes for open ports and missing
ends."""

from collections.abc import Iterator, Mapping
from typing import Any

from blocks import CATALOGUE, Fix, has
from core.analyse import remedies, rewiring
from core.graph import Edge, Graph, GraphError
from core.graph.edits import apply
from core.graph.names import default_base, fresh_id
from core.graph.order import ancestors, descendants
from core.graph.ports import first_port, input_ports, output_ports, write_edge

Offer = Mapping[str, Any]


def absolute_fixes(
    graph: Graph, node: str, fixes: tuple[Fix, ...], inside: bool = False
) -> tuple[Offer, ...]:
    """A block's fixes with nodes named; one that cannot be applied here is left out.

    inside: within a composite, whose Inputs receive what its uses pass, whatever they declare.
    """
    offers: list[Offer] = []
    for fix in fixes:
        if fix.edits[0]["op"] == "rewire":
            offers += rewiring.rewired(graph, node, _full_port(graph, node, fix.edits[0]["port"]))
            continue
        try:
            if inside and any(edit["op"] == "input" for edit in fix.edits):
                continue
            edits = list(_edits(graph, node, fix))
            apply(graph, edits)
        except (GraphError, KeyError):  # nothing feeds that port, say: then it is no offer
            continue
        offers.append({"title": fix.title, "edits": edits})
    return tuple(sorted(offers, key=lambda made: _on_branch(graph, node, made)))


def _on_branch(graph: Graph, node: str, made: Offer) -> bool:
    """Whether an offer puts a block behind a branch; the shortcut beside it could be projected.

    A shortcut is the wire whose source also feeds, further back, another wire into `node`.
    """
    ports = {edit["port"] for edit in made["edits"] if edit["op"] == "insert"}
    own = {e.source for e in graph.into(node) if e.target_port in ports}
    beside = {e.source for e in graph.into(node) if e.target_port not in ports}
    return any(ancestors(graph, source) & beside for source in own)


def _edits(graph: Graph, node: str, fix: Fix) -> Iterator[dict[str, Any]]:
    taken = set(graph.nodes)
    for edit in fix.edits:
        op = edit["op"]
        if op == "set":
            owner = remedies.owner_of(graph, node)
            yield {"op": "set", "node": owner, "settings": _plain(edit["settings"])}
        elif op == "insert":
            block = edit["block"]
            family = CATALOGUE[block].family if block in CATALOGUE else ""
            name = fresh_id(default_base(block, family), taken)
            taken.add(name)
            settings = _plain(edit.get("settings", {}))
            port = _full_port(graph, node, edit["port"])
            new = {"op": "insert", "id": name, "block": block, "settings": settings}
            yield {**new, "target": node, "port": port}
        elif op == "disconnect":
            edge = _edge(graph, node, edit["port"])
            yield {"op": "disconnect", "edge": write_edge(edge, graph.nodes, graph.composites)}
        elif op == "same":
            of = _edge(graph, node, edit["as"])
            port = _full_port(graph, node, edit["port"])
            new = Edge(of.source, of.source_port, node, port)
            yield {"op": "connect", "edge": write_edge(new, graph.nodes, graph.composites)}
        elif op == "replace":
            settings = _plain(edit.get("settings", {}))
            yield {"op": "replace", "node": node, "block": edit["block"], "settings": settings}
        else:
            source = _feeding_input(graph, node, edit["port"])
            _need_change(graph, source, edit["settings"])
            yield {"op": "set", "node": source, "settings": _plain(edit["settings"])}


def _need_change(graph: Graph, node: str, settings: Mapping[str, Any]) -> None:
    """Raises GraphError if a node has these settings already: that would fix nothing."""
    block = CATALOGUE[graph.nodes[node].block]
    has = {**block.defaults, **graph.nodes[node].settings}
    if all(name in has and has[name] == value for name, value in settings.items()):
        raise GraphError(node, "already has these settings.")


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {k: _plain(v) for k, v in value.items()}
    return [_plain(v) for v in value] if isinstance(value, tuple) else value


def _full_port(graph: Graph, node: str, port: str) -> str:
    return _edge(graph, node, port).target_port


def _edge(graph: Graph, node: str, port: str) -> Edge:
    for edge in graph.into(node):
        if port in (edge.target_port, edge.target_port.split(".")[0]):
            return edge
    raise GraphError(node, f"has no wire into {port!r}.")


def _feeding_input(graph: Graph, node: str, port: str) -> str:
    source = _edge(graph, node, port).source
    found = [n for n in {source, *ancestors(graph, source)} if graph.nodes[n].block == "Input"]
    if len(found) != 1:
        raise GraphError(node, "is not connected to exactly one Input.")
    return found[0]


def connections(graph: Graph, node: str, port: str) -> tuple[Offer, ...]:
    """Offers to connect an open port: from unused results first, then from where a residual would
    begin, else from the preceding node; last what feeds the node already and would be doubled."""
    ids = list(graph.nodes)
    before = ids[: ids.index(node)][::-1] + ids[ids.index(node) + 1 :]
    starts, fed = _residual_starts(graph, node), {e.source for e in graph.into(node)}
    candidates = sorted(before, key=lambda n: (bool(graph.out_of(n)), n in fed, n not in starts))
    behind = descendants(graph, node)
    offers: list[Offer] = []
    into = input_ports(graph.nodes[node], graph.composites)
    whole = any(p.name == port and p.kind == "size" for p in into)
    for source in candidates:
        ports = output_ports(graph.nodes[source], graph.composites)
        if not ports or (ports[0].kind == "size") != whole or source == node or source in behind:
            continue
        edge = Edge(source, first_port(ports), node, port)
        text = write_edge(edge, graph.nodes, graph.composites)
        offers.append({"title": f"Connect {source}", "edits": [{"op": "connect", "edge": text}]})
        if len(offers) == 2:
            break
    return (*offers, {"title": f"Remove {node}", "edits": [{"op": "remove", "node": node}]})


def _residual_starts(graph: Graph, node: str) -> set[str]:
    """Nodes with a layer that has weights between them and what feeds `node`."""
    sources = {e.source for e in graph.into(node)}
    before = sources | ancestors(graph, *sources)
    layers = {name for name in before if _has_weights(graph, name)}
    return {start for layer in layers for start in ancestors(graph, layer)}


def _has_weights(graph: Graph, node: str) -> bool:
    """Whether a node is a layer that mixes values by weights; a normalisation only scales them."""
    block = remedies.block_of(graph, node)
    if block in graph.composites:
        return True
    return has(block, "weighted")


def end_of_graph(graph: Graph) -> tuple[Offer, ...]:
    """Offer an Output after the last node with an unused result."""
    loose = [
        n
        for n in graph.nodes
        if not graph.out_of(n) and output_ports(graph.nodes[n], graph.composites)
    ]
    name = fresh_id(default_base("Output"), set(graph.nodes))
    edits: list[dict[str, Any]] = [{"op": "add", "id": name, "block": "Output", "settings": {}}]
    if loose:
        edits.append({"op": "connect", "edge": f"{loose[-1]} -> {name}"})
    return ({"title": "Add an Output", "edits": edits},)


def start_of_graph(graph: Graph) -> tuple[Offer, ...]:
    """Offer an Input, wired to the first open port."""
    name = fresh_id(default_base("Input"), set(graph.nodes))
    start = _plain(CATALOGUE["Input"].start)
    edits: list[dict[str, Any]] = [{"op": "add", "id": name, "block": "Input", "settings": start}]
    for node in graph.nodes:
        ports = input_ports(graph.nodes[node], graph.composites)
        if ports and not graph.into(node):
            edge = Edge(name, "output", node, first_port(ports))
            text = write_edge(edge, graph.nodes, graph.composites)
            edits.append({"op": "connect", "edge": text})
            break
    return ({"title": "Add an Input", "edits": edits},)
