"""Blocks of a graph as a graph of their own: Inputs where wires enter, Outputs where they leave."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace

from blocks import has
from blocks.signature import N, Signature
from core.graph.edits import sort_edges
from core.graph.model import Composite, Edge, Graph, GraphError, Node
from core.graph.names import check_id
from core.graph.order import ancestors, connected, descendants, nesting

Wires = Mapping[tuple[str, str], Signature]
"""What leaves each node, by its id and port."""


@dataclass(frozen=True)
class PartEnd:
    """An Input or Output of a part. id: in the part. source, port: of the wire in the whole."""

    id: str
    source: str
    port: str


@dataclass(frozen=True)
class GraphPart:
    """Blocks cut out of a graph. entries: in the order of its Inputs; leaves: of its Outputs."""

    graph: Graph
    entries: tuple[PartEnd, ...]
    leaves: tuple[PartEnd, ...]


def between(graph: Graph, start: str = "", end: str = "") -> tuple[str, ...]:
    """Ids on all ways from a node to another, both included, in file order.

    start, end: "" for all Inputs, all Outputs. Raises GraphError where no way leads there.
    """
    for name in (start, end):
        if name and name not in graph.nodes:
            raise GraphError(name, "is not in the graph.", "Use the ids of blocks.")
    after = {start} | descendants(graph, start) if start else set(graph.nodes)
    before = {end} | ancestors(graph, end) if end else set(graph.nodes)
    if start and end and not after & before:
        turned = (
            "Swap the two blocks."
            if start in descendants(graph, end)
            else ("Choose two blocks on one path.")
        )
        raise GraphError(end, f"cannot be reached from {start}.", turned)
    return tuple(name for name in graph.nodes if name in after and name in before)


def part_of(graph: Graph, chosen: Collection[str], wires: Wires) -> GraphPart:
    """Cut blocks out. wires: the signatures of the whole. Raises GraphError with why it cannot be.

    An Input is called as the block whose value it stands for; an Output as the block that it
    follows with `_out`, or as the Output of the whole that stood there. Nodes keep their ids, and
    so their weights their keys. What no sample changes (a positional encoding, a mask) and whole
    numbers (a size) come along with the blocks that read them.
    """
    mine = _with_fixed(graph, set(chosen), wires)
    ids = [name for name in graph.nodes if name in mine]
    refuse(graph, ids)
    entries = tuple(_entries(graph, ids))
    for end in entries:
        _check_entry(end, wires)
    leaves = tuple(_leaves(graph, ids, wires, {e.id for e in entries}))
    inputs = [PartEnd(name, name, "output") for name in ids if graph.nodes[name].block == "Input"]
    ends = [name for name in ids if graph.nodes[name].block == "Output"]
    outputs = [PartEnd(name, e.source, e.source_port) for name in ends for e in graph.into(name)]
    if not outputs and not leaves:
        raise GraphError(ids[-1], "outputs no tensor, so the part would have no output.")
    made = _cut(graph, ids, entries, leaves, wires)
    return GraphPart(made, (*entries, *inputs), (*outputs, *leaves))


def _with_fixed(graph: Graph, mine: set[str], wires: Wires) -> set[str]:
    def comes(edge: Edge) -> bool:
        signature = wires.get((edge.source, edge.source_port))
        before = {edge.source} | ancestors(graph, edge.source)
        fixed = not any(graph.nodes[name].block == "Input" for name in before)
        return fixed or (signature is not None and signature.is_size)

    read = {e.source for e in graph.edges if e.target in mine and e.source not in mine and comes(e)}
    return _with_fixed(graph, mine | read, wires) if read else mine


def refuse(graph: Graph, ids: list[str]) -> None:
    """Raise GraphError for blocks that are no part of a network of their own."""
    mine = set(ids)
    if all(has(graph.nodes[name].block, "end") for name in ids):
        raise GraphError(
            "The selection", "contains only Inputs and Outputs.", "Select other blocks, too."
        )
    for name in ids:
        owner = graph.nodes[name].weights_of
        if owner and owner not in mine:
            raise GraphError(
                name,
                f"shares the weights of {owner}, which is not selected.",
                f"Select {owner}, too.",
            )
    behind = descendants(graph, *ids)
    for name in graph.nodes:
        if name in behind and any(e.target in mine for e in graph.out_of(name)):
            raise GraphError(name, "lies between the selected blocks.", "Select it, too.")
    if apart := mine - _together(graph, ids):
        first = next(name for name in ids if name in apart)
        raise GraphError(
            first,
            f"is not connected to {ids[0]} within the selection.",
            "Select the blocks between them, or only one of the two.",
        )


def _together(graph: Graph, ids: list[str]) -> set[str]:
    """What hangs together with the first one, over selected blocks or a value that both read."""
    mine = set(ids)
    links = (
        (e.source if e.source in mine else f"{e.source} {e.source_port}", e.target)
        for e in graph.edges
        if e.target in mine
    )
    return connected(links, ids[0])


def _entries(graph: Graph, ids: list[str]) -> Iterable[PartEnd]:
    """One Input for each value from outside, in the order in which the whole has its blocks."""
    mine, taken = set(ids), set(ids)
    found = {
        (e.source, e.source_port) for e in graph.edges if e.target in mine and e.source not in mine
    }
    place = {name: k for k, name in enumerate(graph.nodes)}
    for source, port in sorted(found, key=lambda pair: (place.get(pair[0], 0), pair[1])):
        several = sum(each == source for each, _ in found) > 1
        name = _free(f"{source}_{port.replace('.', '_')}" if several else source, taken)
        taken.add(name)
        yield PartEnd(name, source, port)


def _check_entry(end: PartEnd, wires: Wires) -> None:
    signature = wires.get((end.source, end.port))
    if signature is None:
        raise GraphError(
            end.source,
            "has an error, so its output shape is unknown.",
            "Fix the errors up to this block first.",
        )
    sizes = signature.shape[1:]
    if signature.shape[:1] != (N,) or not all(type(size) is int for size in sizes):
        raise GraphError(
            end.source,
            f"outputs {signature}, but an Input needs N first and fixed sizes after it.",
            f"Select {end.source}, too.",
        )


def _leaves(graph: Graph, ids: list[str], wires: Wires, taken: set[str]) -> Iterable[PartEnd]:
    """One Output for each tensor that goes out, or that nobody reads at all."""
    mine, taken = set(ids), taken | set(ids)
    for name in ids:
        if graph.nodes[name].block == "Output":
            continue
        ports = [port for node, port in wires if node == name and not wires[node, port].is_size]
        read = graph.out_of(name)
        for port in ports if read else ports[:1]:
            targets = [e.target for e in read if e.source_port == port]
            if read and all(target in mine for target in targets):
                continue
            ends = [t for t in targets if graph.nodes[t].block == "Output" and t not in mine]
            several = len(ports) > 1 and port != ports[0]
            own = f"{name}_{port.replace('.', '_')}" if several else f"{name}_out"
            end = _free(ends[0] if ends else own, taken)
            taken.add(end)
            yield PartEnd(end, name, port)


def _cut(
    graph: Graph,
    ids: list[str],
    entries: Iterable[PartEnd],
    leaves: Iterable[PartEnd],
    wires: Wires,
) -> Graph:
    mine = set(ids)
    nodes = {end.id: _input(wires[end.source, end.port]) for end in entries}
    nodes |= {name: _fed(graph.nodes[name], name, wires) for name in ids}
    nodes |= {end.id: Node("Output") for end in leaves}
    name_of = {(end.source, end.port): end.id for end in entries}
    edges = [e for e in graph.edges if e.source in mine and e.target in mine]
    edges += [
        replace(e, source=name_of[e.source, e.source_port], source_port="output")
        for e in graph.edges
        if e.target in mine and e.source not in mine
    ]
    edges += [Edge(end.source, end.port, end.id, "input") for end in leaves]
    made = Graph(nodes, (), used_composites(nodes, graph.composites))
    return replace(made, edges=sort_edges(made, edges))


def _fed(node: Node, name: str, wires: Wires) -> Node:
    """A node as it is; an Input of a composite gets the shape that it receives, as in a network."""
    known = node.block == "Input" and "shape" not in node.settings
    return _input(wires[name, "output"]) if known and (name, "output") in wires else node


def _input(signature: Signature) -> Node:
    shape = tuple(size for size in signature.shape[1:] if type(size) is int)
    dtype = {} if signature.dtype == "float32" else {"dtype": signature.dtype}
    return Node("Input", {"shape": shape, **dtype})


def used_composites(
    nodes: Mapping[str, Node], composites: Mapping[str, Composite]
) -> dict[str, Composite]:
    """Those that some nodes use, directly or inside others, in the order of the file."""
    direct = {node.block for node in nodes.values() if node.block in composites}
    used = direct | descendants(nesting(composites), *direct) if direct else direct
    return {name: part for name, part in composites.items() if name in used}


def _free(name: str, taken: Collection[str]) -> str:
    """The name, or the first one like it, that can be an id. 40 characters at most."""
    base, number = name[:36], 1
    while name in taken or check_id(name):
        number += 1
        name = f"{base}{number}"
    return name
