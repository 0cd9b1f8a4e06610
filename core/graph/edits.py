"""Edits of a graph. Each returns a new graph, or raises GraphError and changes nothing."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any

from blocks import Port
from core.graph.model import Edge, Graph, GraphError, Node
from core.graph.names import check_id
from core.graph.order import reaches
from core.graph.ports import (
    first_port,
    has_port,
    input_ports,
    known,
    output_ports,
    parse_edge,
    resolve,
)


def _need(graph: Graph, node: str) -> Node:
    if node not in graph.nodes:
        raise GraphError(node, "is not in the graph.")
    return graph.nodes[node]


def _need_free(graph: Graph, name: str) -> None:
    if reason := check_id(name):
        raise GraphError(name, reason + ".")
    if name in graph.nodes:
        raise GraphError(name, "is already the id of another block.", "Choose another id.")


def _after(graph: Graph, name: str, node: Node, index: int) -> Graph:
    items = list(graph.nodes.items())
    items.insert(index, (name, node))
    return replace(graph, nodes=dict(items))


def add(graph: Graph, name: str, node: Node, after: str = "") -> Graph:
    """Add a node, right after another one or at the end (before the outputs)."""
    _need_free(graph, name)
    ids = list(graph.nodes)
    if after:
        index = ids.index(after) + 1
    else:
        outputs = [i for i, n in enumerate(ids) if graph.nodes[n].block == "Output"]
        index = outputs[0] if outputs and node.block != "Output" else len(ids)
    return _after(graph, name, node, index)


def remove(graph: Graph, name: str) -> Graph:
    """Take a node out, with its wires. Sharers of its weights get weights of their own."""
    gone = _need(graph, name)
    nodes = {k: n for k, n in graph.nodes.items() if k != name}
    heir = ""
    for key, node in nodes.items():
        if node.weights_of != name:
            continue
        owner = replace(
            node,
            block=gone.block,
            settings=gone.settings,
            weights_of="",
            frozen=gone.frozen,
            lr_factor=gone.lr_factor,
        )
        nodes[key] = replace(node, weights_of=heir) if heir else owner
        heir = heir or key
    edges = tuple(e for e in graph.edges if name not in (e.source, e.target))
    return replace(graph, nodes=nodes, edges=edges)


def bypass(graph: Graph, name: str) -> Graph:
    """Take a node out, and let what reads its first output read what comes into its first input.

    Raises GraphError where nothing comes in there, or another of its outputs is read.
    """
    node = resolve(_need(graph, name), graph.nodes)
    into = first_port(input_ports(node, graph.composites))
    out = first_port(output_ports(node, graph.composites))
    feed = next((e for e in graph.into(name) if e.target_port == into), None)
    readers = graph.out_of(name)
    if feed is None or not readers:
        what = "nothing comes in" if feed is None else "nothing reads it"
        raise GraphError(name, f"cannot be left out because {what}.", "Choose a block in between.")
    if other := next((e for e in readers if e.source_port != out), None):
        message = f"cannot be left out because {other.target} reads its output {other.source_port}."
        raise GraphError(name, message, f"Choose a block of which only {out} is read.")
    joined = remove(graph, name)
    for each in readers:
        edge = replace(each, source=feed.source, source_port=feed.source_port)
        joined = connect(joined, edge)
    return joined


def connect(graph: Graph, edge: Edge) -> Graph:
    """Add a wire; a wire already in that input port is replaced. Raises for cycles and ports.

    A node that forward did not use is used by a wire into it; one without inputs by one from it.
    """
    source, target = (resolve(_need(graph, n), graph.nodes) for n in (edge.source, edge.target))
    if reaches(graph, edge.target, edge.source):
        raise GraphError(edge.target, f"would be part of a loop with a wire from {edge.source}.")
    for node, ports, port, side in (
        (source, output_ports(source, graph.composites), edge.source_port, "output"),
        (target, input_ports(target, graph.composites), edge.target_port, "input"),
    ):
        if known(node.block, graph.composites) and not has_port(ports, port):
            name = edge.source if side == "output" else edge.target
            raise GraphError(name, f"has no {side} port {port!r}.")
    others = [
        e for e in graph.edges if (e.target, e.target_port) != (edge.target, edge.target_port)
    ]
    graph = _used_by(graph, edge, source)
    return replace(graph, edges=sort_edges(graph, (*others, edge)))


def _used_by(graph: Graph, edge: Edge, source: Node) -> Graph:
    """Take the mark `unused` from what a wire uses. source: of the edge, with its block."""
    fed = input_ports(source, graph.composites) or not known(source.block, graph.composites)
    ends = (edge.target,) if fed else (edge.source, edge.target)
    used = {
        name: replace(node, unused=False) for name in ends if (node := graph.nodes[name]).unused
    }
    return replace(graph, nodes={**graph.nodes, **used}) if used else graph


def sort_edges(graph: Graph, edges: Iterable[Edge]) -> tuple[Edge, ...]:
    """Put wires in the order of their targets, then ports, as the file keeps them."""
    index_of = {name: i for i, name in enumerate(graph.nodes)}

    known: dict[tuple[str, str], tuple[int, int, str]] = {}

    def key(edge: Edge) -> tuple[int, tuple[int, int, str]]:
        target = graph.nodes.get(edge.target)
        target = resolve(target, graph.nodes) if target else None
        end = (target.block if target else "", edge.target_port)
        if end not in known:
            ports = input_ports(target, graph.composites) if target else ()
            head, _, index = edge.target_port.partition(".")
            port = next((i for i, p in enumerate(ports) if p.name == head), len(ports))
            known[end] = (port, int(index or 0), edge.target_port)
        return index_of.get(edge.target, len(index_of)), known[end]

    return tuple(sorted(edges, key=key))


def disconnect(graph: Graph, edge: Edge) -> Graph:
    """Take a wire away. Raises GraphError if there is none."""
    if edge not in graph.edges:
        raise GraphError(edge.target, f"has no wire from {edge.source}.")
    return replace(graph, edges=tuple(e for e in graph.edges if e != edge))


def set_settings(graph: Graph, name: str, settings: Mapping[str, Any]) -> Graph:
    """Change settings of a node; None takes a setting away, back to default or inferred."""
    node = _need(graph, name)
    merged = {**node.settings, **settings}
    left = {k: v for k, v in merged.items() if not (v is None and k in settings)}
    return replace(graph, nodes={**graph.nodes, name: replace(node, settings=left)})


def rename(graph: Graph, name: str, to: str) -> Graph:
    """Give a node another id, in its wires and sharers too."""
    _need(graph, name)
    if to == name:
        return graph
    _need_free(graph, to)

    def new(old: str) -> str:
        return to if old == name else old

    nodes = {new(k): replace(n, weights_of=new(n.weights_of)) for k, n in graph.nodes.items()}
    edges = tuple(replace(e, source=new(e.source), target=new(e.target)) for e in graph.edges)
    return replace(graph, nodes=nodes, edges=edges)


def insert(graph: Graph, name: str, node: Node, target: str, port: str) -> Graph:
    """Put a new node on the wire into `target.port`: its first input and first output."""
    _need(graph, target)
    old = next((e for e in graph.into(target) if e.target_port == port), None)
    if old is None:
        raise GraphError(target, f"has no wire into {port!r}.", "Connect that port first.")
    graph = add(disconnect(graph, old), name, node, after=old.source)
    into = first_port(input_ports(node, graph.composites))
    out = first_port(output_ports(node, graph.composites))
    graph = connect(graph, Edge(old.source, old.source_port, name, into))
    return connect(graph, Edge(name, out, target, port))


def replace_block(graph: Graph, name: str, block: str, settings: Mapping[str, Any]) -> Graph:
    """Make a node another block, with weights of its own; wires to ports it lacks are dropped."""
    node = replace(_need(graph, name), block=block, settings=dict(settings), weights_of="")
    ins, outs = input_ports(node, graph.composites), output_ports(node, graph.composites)
    return _kept_wires(replace(graph, nodes={**graph.nodes, name: node}), name, ins, outs)


def _kept_wires(graph: Graph, name: str, ins: tuple[Port, ...], outs: tuple[Port, ...]) -> Graph:
    """Drop the wires of a node to ports it lacks; those of a block unknown so far have no name."""
    edges: list[Edge] = []
    for edge in graph.edges:
        if edge.target == name and not edge.target_port and ins:
            edge = replace(edge, target_port=first_port(ins))
        if edge.source == name and not edge.source_port and outs:
            edge = replace(edge, source_port=first_port(outs))
        into = edge.target != name or has_port(ins, edge.target_port)
        if into and (edge.source != name or has_port(outs, edge.source_port)):
            edges.append(edge)
    return replace(graph, edges=tuple(edges))


def share(graph: Graph, name: str, owner: str) -> Graph:
    """Let a node use the weights, and so the block and settings, of another one."""
    node, of = _need(graph, name), resolve(_need(graph, owner), graph.nodes)
    if name == owner or graph.nodes[owner].weights_of:
        raise GraphError(owner, "has no weights of its own to share.")
    if any(n.weights_of == name for n in graph.nodes.values()):
        raise GraphError(name, "has weights that other blocks share.")
    made = replace(
        node, block="", settings={}, weights_of=owner, frozen=False, lr_factor=1.0, unused=False
    )
    ports = (input_ports(of, graph.composites), output_ports(of, graph.composites))
    return _kept_wires(replace(graph, nodes={**graph.nodes, name: made}), name, *ports)


def repeat(graph: Graph, name: str, times: int) -> Graph:
    """Say how many times a node follows itself."""
    return replace(graph, nodes={**graph.nodes, name: replace(_need(graph, name), repeat=times)})


def learn(graph: Graph, name: str, frozen: bool | None, lr_factor: float | None) -> Graph:
    """Say how the weights of a node learn; None leaves it as it is. Those it shares are another's.

    frozen: not at all. lr_factor: with so many times the learning rate.
    """
    node = _need(graph, name)
    if node.weights_of:
        hint = f"Set it on {node.weights_of}."
        raise GraphError(name, f"shares the weights of {node.weights_of}.", hint)
    made = replace(
        node,
        frozen=node.frozen if frozen is None else frozen,
        lr_factor=node.lr_factor if lr_factor is None else float(lr_factor),
    )
    return replace(graph, nodes={**graph.nodes, name: made})


def apply(graph: Graph, edits: Iterable[Mapping[str, Any]]) -> Graph:
    """Carry out absolute edits, as offered by fixes. Raises GraphError; then nothing is changed.

    An edit with a "composite" is made in the graph of that composite.
    """
    for edit in edits:
        part = edit.get("composite", "")
        graph = _inside(graph, part, edit) if part else _APPLY[edit["op"]](graph, edit)
    return graph


def _inside(graph: Graph, name: str, edit: Mapping[str, Any]) -> Graph:
    if name not in graph.composites:
        raise GraphError(name, "is not a composite of this project.")
    part = graph.composites[name]
    if part.python:
        raise GraphError(name, "is written in Python and has no drawing inside.", "Edit its code.")
    inner = replace(part.graph, composites=graph.composites)
    made = replace(_APPLY[edit["op"]](inner, edit), composites=part.graph.composites)
    return replace(graph, composites={**graph.composites, name: replace(part, graph=made)})


def _fresh(edit: Mapping[str, Any]) -> Node:
    return Node(edit["block"], dict(edit.get("settings", {})))


def _wire(graph: Graph, edit: Mapping[str, Any]) -> Edge:
    nodes = {name: resolve(node, graph.nodes) for name, node in graph.nodes.items()}
    return parse_edge(edit["edge"], nodes, graph.composites)


_APPLY: dict[str, Callable[[Graph, Mapping[str, Any]], Graph]] = {
    "set": lambda g, e: set_settings(g, e["node"], e["settings"]),
    "add": lambda g, e: add(g, e["id"], _fresh(e)),
    "remove": lambda g, e: remove(g, e["node"]),
    "insert": lambda g, e: insert(g, e["id"], _fresh(e), e["target"], e["port"]),
    "connect": lambda g, e: connect(g, _wire(g, e)),
    "disconnect": lambda g, e: disconnect(g, _wire(g, e)),
    "rename": lambda g, e: rename(g, e["node"], e["to"]),
    "replace": lambda g, e: replace_block(g, e["node"], e["block"], e.get("settings", {})),
    "share": lambda g, e: share(g, e["node"], e["with"]),
    "learn": lambda g, e: learn(g, e["node"], e.get("frozen"), e.get("lr_factor")),
    "repeat": lambda g, e: repeat(g, e["node"], e["times"]),
}
