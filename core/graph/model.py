"""The immutable values of a graph (Node, Edge, Composite), so that undo is a list of graphs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from blocks.spec import Value
from core.common.errors import LayerloomError


def _empty() -> dict[str, Any]:
    return {}


@dataclass(frozen=True)
class Node:
    """One use of a block (or of a composite), named by its key in `Graph.nodes`.

    settings: what the student set, as in the file; lists are tuples. repeat: how often a composite
    or block follows itself. weights_of: the node whose weights this one shares, "" for its own.
    frozen: training leaves its weights as they are. lr_factor: what their learning rate is
    multiplied by. unused: it is constructed and its weights are kept, but forward does not call
    it; its settings say all sizes, for no wire does. extra: keys of the file that this version
    does not know, kept as they are.
    """

    block: str
    settings: Mapping[str, Value] = field(default_factory=_empty)
    label: str = ""
    repeat: int = 1
    weights_of: str = ""
    extra: Mapping[str, Any] = field(default_factory=_empty)
    frozen: bool = False
    lr_factor: float = 1.0
    unused: bool = False


@dataclass(frozen=True)
class Edge:
    """A wire from output `source_port` of `source` to input `target_port` of `target`.

    Ports are named in full where the block is known; "" is the first port of an unknown one.
    """

    source: str
    source_port: str
    target: str
    target_port: str


@dataclass(frozen=True)
class Composite:
    """A graph used like a block. Its Input and Output nodes are its ports, in file order.

    python: the text of a class instead of a graph, which is empty then; ports and settings are
    read off it (see core.graph.python, which makes such a composite).
    """

    settings: Mapping[str, Value] = field(default_factory=_empty)
    graph: Graph = field(default_factory=lambda: Graph())
    extra: Mapping[str, Any] = field(default_factory=_empty)
    python: str = ""


@dataclass(frozen=True)
class Graph:
    """Nodes in file order, and their wires. Every edit returns a new graph."""

    nodes: Mapping[str, Node] = field(default_factory=_empty)
    edges: tuple[Edge, ...] = ()
    composites: Mapping[str, Composite] = field(default_factory=_empty)
    extra: Mapping[str, Any] = field(default_factory=_empty)

    @cached_property
    def _ends(self) -> tuple[dict[str, tuple[Edge, ...]], dict[str, tuple[Edge, ...]]]:
        into: dict[str, list[Edge]] = {}
        out: dict[str, list[Edge]] = {}
        for edge in self.edges:
            into.setdefault(edge.target, []).append(edge)
            out.setdefault(edge.source, []).append(edge)
        into_all = {name: tuple(edges) for name, edges in into.items()}
        return into_all, {name: tuple(edges) for name, edges in out.items()}

    def into(self, node: str) -> tuple[Edge, ...]:
        """Wires that end at a node."""
        return self._ends[0].get(node, ())

    def out_of(self, node: str) -> tuple[Edge, ...]:
        """Wires that start at a node."""
        return self._ends[1].get(node, ())

    def is_unused(self, name: str) -> bool:
        """Whether forward does not call a node: marked so, and nothing goes into it."""
        return self.nodes[name].unused and not self.into(name)

    def of_block(self, block: str) -> tuple[str, ...]:
        """Ids of all nodes of one block, in file order."""
        return tuple(name for name, node in self.nodes.items() if node.block == block)


class GraphError(LayerloomError):
    """An edit that cannot be made. Says which node, what is wrong, and what to do."""

    def __init__(self, node: str, message: str, hint: str = "") -> None:
        super().__init__(message, hint)
        self.node = node

    def __str__(self) -> str:
        return f"{self.node} {self.message} {self.hint}".rstrip()
