"""Conflicts that only appear after merging: both sides are valid, and the merge is not."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from core.graph import Composite, Edge, Graph, Node
from core.graph.order import find_cycle, loops
from core.graph.ports import has_port, input_ports, known, output_ports, resolve
from core.project.base_names import path, scopes
from core.project.model import Project
from core.wings.merge.names import with_graphs
from core.wings.merge.values import MergeLog


@dataclass(frozen=True)
class Side:
    """A graph of one side, and the composites of that side."""

    name: str
    graph: Graph
    parts: Mapping[str, Composite]


@dataclass(frozen=True)
class Around:
    """The graph of one composite (scope), and the same graph on both sides."""

    log: MergeLog
    scope: str
    ours: Side
    theirs: Side

    def say(self, name: str) -> str:
        """Name a block in a sentence."""
        return path(self.scope, name)

    def wire(self, edge: Edge) -> str:
        """Write a wire in a sentence."""
        return f"{self.say(edge.source)} -> {self.say(edge.target)}"


def checked(log: MergeLog, merged: Project, ours: Project, theirs: Project) -> Project:
    """Find conflicts that only the merge has, and leave out the change of theirs there."""
    mine, yours = scopes(ours), scopes(theirs)
    graphs: dict[str, Graph] = {}
    for scope, graph in scopes(merged).items():
        around = Around(
            log,
            scope,
            Side("ours", mine.get(scope, Graph()), ours.graph.composites),
            Side("theirs", yours.get(scope, Graph()), theirs.graph.composites),
        )
        graph = _ports(around, _sharing(around, graph), merged.graph.composites)
        graphs[scope] = _loops(around, graph)
    return with_graphs(merged, graphs)


def _sharing(around: Around, graph: Graph) -> Graph:
    """A block whose weights another uses owns them."""
    nodes, ours = dict(graph.nodes), around.ours.graph
    for name in graph.nodes:
        chain = _chain(nodes, name)
        if not chain or _chain(ours.nodes, name) or _chain(around.theirs.graph.nodes, name):
            continue
        here, of, last = (around.say(each) for each in (name, *chain))
        message = (
            f"After the merge, {here} shares the weights of {of}, which shares those of {last}."
        )
        around.log.conflict(here, message)
        nodes |= {each: ours.nodes[each] for each in (name, chain[0]) if each in ours.nodes}
    return replace(graph, nodes=nodes)


def _chain(nodes: Mapping[str, Node], name: str) -> tuple[str, str] | None:
    """Whose weights a block uses, and whose that one does."""
    node = nodes.get(name)
    owner = nodes.get(node.weights_of) if node else None
    return (node.weights_of, owner.weights_of) if node and owner and owner.weights_of else None


def _ports(around: Around, graph: Graph, parts: Mapping[str, Composite]) -> Graph:
    """A wire ends at ports that its blocks have."""
    edges: list[Edge] = []
    for edge in graph.edges:
        lost = _lost(graph, edge, parts)
        sides = [s for s in (around.ours, around.theirs) if edge in s.graph.edges] if lost else []
        if lost and sides and not any(_lost(s.graph, edge, s.parts) for s in sides):
            _tell_lost(around, edge, *lost, sides[0].name)
            if sides[0] is around.theirs:
                continue
        edges.append(edge)
    return replace(graph, edges=tuple(edges))


def _tell_lost(around: Around, edge: Edge, name: str, port: str, side: str) -> None:
    here = around.say(name)
    ends = (
        (here, port),
        (around.say(edge.source), edge.source_port),
        (around.say(edge.target), edge.target_port),
    )
    lost, source, target = (".".join(filter(None, end)) for end in ends)
    other = "ours" if side == "theirs" else "theirs"
    message = f"{source} -> {target} is wired in {side}, but {other} removed that port of {here}."
    around.log.conflict(lost, message)


def _lost(graph: Graph, edge: Edge, parts: Mapping[str, Composite]) -> tuple[str, str] | None:
    """A block and the port of a wire that it does not have."""
    for name, port, ports in (
        (edge.source, edge.source_port, output_ports),
        (edge.target, edge.target_port, input_ports),
    ):
        node = resolve(graph.nodes[name], graph.nodes)
        if known(node.block, parts) and not has_port(ports(node, parts), port):
            return name, port
    return None


def _loops(around: Around, graph: Graph) -> Graph:
    """No block feeds itself, unless a side has drawn it so."""
    ours, theirs = around.ours.graph, around.theirs.graph
    before = [*loops(ours), *loops(theirs)]
    for ring in loops(graph):
        inside = [e for e in graph.edges if e.source in ring and e.target in ring]
        new = [e for e in inside if e not in ours.edges]
        if not new or any(ring <= other for other in before):
            continue
        round_trip = find_cycle(
            Graph({n: graph.nodes[n] for n in graph.nodes if n in ring}, tuple(inside))
        ) or sorted(ring)
        names = " -> ".join(map(around.say, (*round_trip, round_trip[0])))
        own = [around.wire(e) for e in inside if e not in theirs.edges]
        message = f"The wires of both sides together form a loop: {names}."
        around.log.conflict(
            around.say(round_trip[0]), message, None, own, [around.wire(e) for e in new]
        )
        graph = replace(graph, edges=tuple(e for e in graph.edges if e not in new))
    return graph
