"""Custom blocks of a project: what is wrong with their code, and how it comes into the drawing."""

import re
from collections.abc import Callable, Mapping
from dataclasses import replace

from blocks import CATALOGUE, Port
from core.files.trust import trusted
from core.graph import Composite, Edge, Graph, Node
from core.graph.ports import has_port, input_ports, output_ports, resolve
from core.graph.python import Fault, composite_of, faults, read
from core.graph.python_examples import EXAMPLES, text_of

_CLASS = re.compile(r"^class\s+(\w+)", re.MULTILINE)
Composites = Mapping[str, Composite]
Ports = tuple[Port, ...]


def example(graph: Graph, title: str = "") -> str:
    """A class to begin with, under a name that is free. title: which of those that are offered."""
    taken = frozenset(graph.composites) | frozenset(CATALOGUE)
    return text_of(title or next(iter(EXAMPLES)), taken)


def code_of(graph: Graph, name: object) -> str:
    """The code of a custom block; "" where there is none of this name."""
    part = graph.composites.get(name) if isinstance(name, str) else None
    return part.python if part else ""


def trust_of(graph: Graph) -> tuple[bool, ...]:
    """Which custom blocks may run now; the result of an analysis depends on it, too."""
    return tuple(trusted(part.python) for part in graph.composites.values() if part.python)


def class_name(text: str) -> str:
    """The name of the class in a text, which is that of its block; "" for none."""
    match = _CLASS.search(text)
    return match[1] if match else ""


def faults_of(graph: Graph, text: str, old: str = "") -> tuple[Fault, ...]:
    """What keeps a text from being a block of the project. old: the block it is to replace."""
    name = class_name(text) or "Gate"
    problems = faults(name, text)
    if name in CATALOGUE:
        return Fault(1, f"has the name of an existing block: {name}."), *problems
    if name != old and name in graph.composites:
        return Fault(1, f"has the name of another block of this project: {name}."), *problems
    return problems


def put(graph: Graph, text: str, old: str = "") -> Graph:
    """The graph with this code as a block of it, in the place of `old` where that is given.

    All uses follow: another name, ports that are called otherwise, settings that are gone.
    """
    name = class_name(text)
    made = composite_of(name, text)
    before = graph.composites.get(old)
    if before is None:
        return replace(graph, composites={**graph.composites, name: made})
    made = replace(made, extra=before.extra)
    items = graph.composites.items()
    composites = {name if n == old else n: made if n == old else p for n, p in items}
    follow = _Following(old, name, graph.composites, composites)
    inner = {n: replace(p, graph=follow(p.graph)) for n, p in composites.items()}
    return replace(follow(graph), composites=inner)


class _Following:
    """What the uses of a block become where its code is another."""

    def __init__(self, old: str, new: str, before: Composites, after: Composites) -> None:
        self.old, self.new = old, new
        self.settings = {s.name for s in read(new, after[new].python)[0].settings}
        self._into = _moved(*(input_ports(Node(n), c) for n, c in ((old, before), (new, after))))
        self._out = _moved(*(output_ports(Node(n), c) for n, c in ((old, before), (new, after))))

    def __call__(self, graph: Graph) -> Graph:
        edges = [edge for e in graph.edges if (edge := self._edge(e, graph))]
        nodes = {name: self._node(node) for name, node in graph.nodes.items()}
        return replace(graph, nodes=nodes, edges=tuple(edges))

    def _node(self, node: Node) -> Node:
        if node.block != self.old:
            return node
        settings = {name: value for name, value in node.settings.items() if name in self.settings}
        return replace(node, block=self.new, settings=settings)

    def _edge(self, edge: Edge, graph: Graph) -> Edge | None:
        """The wire at its port's new name; None where its port is gone."""
        if self._is(edge.source, graph):
            edge = replace(edge, source_port=self._out(edge.source_port))
        if self._is(edge.target, graph):
            edge = replace(edge, target_port=self._into(edge.target_port))
        return edge if edge.source_port and edge.target_port else None

    def _is(self, node: str, graph: Graph) -> bool:
        use = graph.nodes.get(node)
        return use is not None and resolve(use, graph.nodes).block == self.old


def _moved(before: Ports, after: Ports) -> Callable[[str], str]:
    """What ports are called now: by their name, else by their place; "" for those that are gone."""
    names = [port.name for port in before]

    def moved(name: str) -> str:
        if has_port(after, name):
            return name
        head, _, index = name.partition(".")
        there = names.index(head) if head in names and len(names) == len(after) else -1
        if there < 0 or (after[there].name != head and after[there].name in names):
            return ""
        port = after[there]
        if port.listed:
            return f"{port.name}.{index or 0}"
        return port.name if index in ("", "0") else ""

    return moved
