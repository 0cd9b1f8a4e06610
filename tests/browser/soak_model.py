"""What the drawing must be after each edit of the soak, in Python: the canvas's own rules again.

Built on core.graph, which shares no line with the canvas's TypeScript.
"""

import random
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from blocks import CATALOGUE
from core.graph import Composite, Edge, Graph, GraphError, Node, edits
from core.graph.names import check_id, default_base, fresh_id
from core.graph.ports import first_port, input_ports, output_ports

ENDS = ("Input", "Output")


class Model:
    """The drawing as it must be, its undo and redo, and every state it ever had, in order."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.states = [graph]
        self.past: list[Graph] = []
        self.future: list[Graph] = []

    def commit(self, graph: Graph) -> None:
        self.past.append(self.graph)
        self.future.clear()
        self._show(graph)

    def undo(self) -> None:
        self.future.append(self.graph)
        self._show(self.past.pop())

    def redo(self) -> None:
        self.past.append(self.graph)
        self._show(self.future.pop())

    def _show(self, graph: Graph) -> None:
        self.graph = graph
        self.states.append(graph)


def fresh(graph: Graph, block: str) -> tuple[str, Node]:
    spec = CATALOGUE.get(block)
    stem = default_base(block, spec.family if spec else "")
    settings = dict(spec.start) if spec else {}
    return fresh_id(stem, set(graph.nodes)), Node(block, settings)


def first_input(graph: Graph, name: str) -> str:
    return first_port(input_ports(graph.nodes[name], graph.composites))


def first_output(graph: Graph, name: str) -> str:
    return first_port(output_ports(graph.nodes[name], graph.composites))


def in_order(graph: Graph) -> Graph:
    """Put every node after those it reads from, moving only what must move."""
    place = {name: i for i, name in enumerate(graph.nodes)}
    if all(place[e.source] <= place[e.target] for e in graph.edges):
        return graph
    done: dict[str, Node] = {}

    def visit(name: str) -> None:
        for edge in graph.into(name):
            if edge.source not in done:
                visit(edge.source)
        done[name] = graph.nodes[name]

    for name in graph.nodes:
        if name not in done:
            visit(name)
    return replace(graph, nodes=done)


def connect(graph: Graph, edge: Edge) -> Graph:
    """Draw a wire. A node that had none yet goes right after the node it now reads from."""
    loose = not graph.into(edge.target) and not graph.out_of(edge.target)
    wired = edits.connect(graph, edge)
    node = graph.nodes[edge.target]
    if loose and node.block != "Output":
        items = [(k, n) for k, n in wired.nodes.items() if k != edge.target]
        items.insert([k for k, _ in items].index(edge.source) + 1, (edge.target, node))
        wired = replace(wired, nodes=dict(items))
    wired = in_order(wired)
    return replace(wired, edges=edits.sort_edges(wired, wired.edges))


def can_connect(graph: Graph, edge: Edge) -> bool:
    try:
        edits.connect(graph, edge)
    except GraphError:
        return False
    return True


def add_next(graph: Graph, block: str, after: str) -> Graph:
    """Add from the palette after the selected node: into its only wire, or wired to its output."""
    name, node = fresh(graph, block)
    out = first_output(graph, after)
    wires = [e for e in graph.out_of(after) if e.source_port == out]
    if len(wires) == 1:
        return _insert(graph, name, node, wires[0])
    graph = edits.add(graph, name, node)
    edge = Edge(after, out, name, first_input(graph, name))
    return connect(graph, edge) if out and can_connect(graph, edge) else graph


def _insert(graph: Graph, name: str, node: Node, old: Edge) -> Graph:
    graph = edits.add(edits.disconnect(graph, old), name, node, after=old.source)
    graph = connect(graph, replace(old, target=name, target_port=first_input(graph, name)))
    return connect(graph, replace(old, source=name, source_port=first_output(graph, name)))


def change(graph: Graph, name: str, **keys: Any) -> Graph:
    """Change display keys of a node: label, repeat."""
    return replace(graph, nodes={**graph.nodes, name: replace(graph.nodes[name], **keys)})


def remove(graph: Graph, names: Sequence[str]) -> Graph:
    for name in names:
        graph = edits.remove(graph, name)
    return graph


def copied_name(graph: Graph, old: str) -> str:
    if old not in graph.nodes and check_id(old) is None:
        return old
    return fresh_id(re.sub(r"\d+$", "", old), set(graph.nodes))


def duplicate(graph: Graph, names: Sequence[str]) -> Graph:
    """Copy nodes and the wires among them; the copies come before the outputs."""
    chosen = [name for name in graph.nodes if name in names]
    inner = [e for e in graph.edges if e.source in chosen and e.target in chosen]
    new: dict[str, str] = {}
    for old in chosen:
        new[old] = copied_name(graph, old)
        graph = edits.add(graph, new[old], graph.nodes[old])
    wires = [replace(e, source=new[e.source], target=new[e.target]) for e in inner]
    return replace(graph, edges=edits.sort_edges(graph, [*graph.edges, *wires]))


def group(graph: Graph, one: str, two: str, name: str) -> Graph:
    """Put two nodes that follow each other, and nothing else, into a composite."""
    (enter,), leave = graph.into(one), graph.out_of(two)
    use = fresh_id(default_base(name), set(graph.nodes) - {one, two})
    inner = {"input": Node("Input"), one: graph.nodes[one], two: graph.nodes[two]}
    edges = (
        Edge("input", "output", one, enter.target_port),
        *graph.into(two),
        Edge(two, first_output(graph, two), "output", "input"),
    )
    part = Composite({}, Graph({**inner, "output": Node("Output")}, edges))
    nodes = {use if k == two else k: Node(name) if k == two else n for k, n in graph.nodes.items()}
    del nodes[one]
    around = [e for e in graph.edges if not {one, two} & {e.source, e.target}]
    around.append(Edge(enter.source, enter.source_port, use, "input"))
    around += [replace(e, source=use, source_port="output") for e in leave]
    next_ = replace(graph, nodes=nodes, edges=(), composites={**graph.composites, name: part})
    return _settled(next_, around)


def _settled(graph: Graph, wires: Sequence[Edge]) -> Graph:
    graph = in_order(replace(graph, edges=edits.sort_edges(graph, wires)))
    return replace(graph, edges=edits.sort_edges(graph, graph.edges))


def unpack(graph: Graph, use: str) -> Graph:
    """Put the nodes of a composite in the place of its use."""
    part = graph.composites[graph.nodes[use].block].graph
    rest = {k: n for k, n in graph.nodes.items() if k != use}
    new: dict[str, str] = {}
    for old, node in part.nodes.items():
        if node.block not in ENDS:
            taken = Graph({**rest, **{name: node for name in new.values()}})
            new[old] = copied_name(taken, old)
    feeds = {e.target_port: (e.source, e.source_port) for e in graph.into(use)}

    def start(edge: Edge) -> tuple[str, str] | None:
        inside = edge.source in new
        return (new[edge.source], edge.source_port) if inside else feeds.get(edge.source)

    wires = [e for e in graph.edges if use not in (e.source, e.target)]
    for edge in part.edges:
        if edge.target in new and (point := start(edge)):
            wires.append(Edge(*point, new[edge.target], edge.target_port))
    for edge in graph.out_of(use):
        if (last := part.into(edge.source_port)) and (point := start(last[0])):
            wires.append(Edge(*point, edge.target, edge.target_port))
    nodes: dict[str, Node] = {}
    for name, node in graph.nodes.items():
        nodes |= {new[k]: part.nodes[k] for k in new} if name == use else {name: node}
    return _settled(replace(graph, nodes=nodes, edges=()), wires)


def inside(graph: Graph, name: str, edit: Callable[[Graph], Graph]) -> Graph:
    """Edit the graph of a composite; every use follows."""
    part = graph.composites[name]
    edited = replace(edit(replace(part.graph, composites=graph.composites)), composites={})
    return replace(graph, composites={**graph.composites, name: replace(part, graph=edited)})


def with_setting(graph: Graph, name: str, setting: str, value: Any) -> Graph:
    """Set a setting; torch's own default is not written."""
    specs = CATALOGUE[graph.nodes[name].block].settings
    default = next(s.default for s in specs if s.name == setting)
    return edits.set_settings(graph, name, {setting: None if value == default else value})


def pair_to_group(graph: Graph, rng: random.Random) -> tuple[str, str] | None:
    """Two nodes that follow each other by their only wire, and have one input each."""

    def fits(edge: Edge) -> bool:
        ends = [graph.nodes[edge.source], graph.nodes[edge.target]]
        inner = all(
            n.block not in ENDS and len(input_ports(n, graph.composites)) == 1 for n in ends
        )
        alone = len(graph.out_of(edge.source)) == 1 and len(graph.into(edge.source)) == 1
        return inner and alone and not any(p.listed for n in ends for p in input_ports(n, {}))

    pairs = [(e.source, e.target) for e in graph.edges if fits(e)]
    return rng.choice(pairs) if pairs else None
