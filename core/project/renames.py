"""Detect renamed blocks between two versions of a graph.

A rename keeps the kind of block and its edges, or, if those changed too, its settings and the
edges of one side.
"""

from collections.abc import Callable, Hashable, Iterable, Mapping
from json import dumps
from typing import Any

from core.graph import Composite, Edge, Graph, Node

Names = Mapping[str, str]
ROUNDS = 32
"""Neighbours told apart by neighbours that were just told apart: no drawing needs many."""

_Evidence = Callable[[Graph, str, Callable[[str], str]], Hashable]


def renamed(old: Graph, new: Graph) -> dict[str, str]:
    """Old to new ids of blocks that are the same one under another name."""
    if all(name in new.nodes for name in old.nodes):
        return {}
    names: dict[str, str] = {}
    for evidence in (_wired, _fed, _read):
        for turn in range(ROUNDS):
            matches = _matches(old, new, names, evidence)
            names |= matches
            if evidence is _wired and (not matches or turn == ROUNDS - 1):
                matches = _matches(old, new, names, evidence, several=True)
                names |= matches
            if not matches:
                break
    return names


def renamed_composites(
    old: Mapping[str, Composite], new: Mapping[str, Composite]
) -> dict[str, str]:
    """Old to new names of composites that hold the same blocks. A class has its name in itself:
    of another name it is another one."""
    names: dict[str, str] = {}
    for evidence_of in (_content, _inside):
        gone = {
            k: evidence_of(part)
            for k, part in old.items()
            if k not in new and k not in names and not part.python
        }
        taken = {*old, *names.values()}
        came = {
            k: evidence_of(part) for k, part in new.items() if k not in taken and not part.python
        }
        names |= _pairs(gone, came)
    return names


def _content(part: Composite) -> Hashable:
    return repr((part.settings, part.graph.nodes, part.graph.edges))


def _inside(part: Composite) -> Hashable:
    return tuple(part.graph.nodes) or None


def _matches(
    old: Graph, new: Graph, names: Names, evidence: _Evidence, several: bool = False
) -> dict[str, str]:
    taken = set(names.values())

    def before(end: str) -> str:
        return end if end in new.nodes else names.get(end, "")

    def after(end: str) -> str:
        return end if end in old.nodes or end in taken else ""

    gone = [name for name in old.nodes if name not in new.nodes and name not in names]
    came = [name for name in new.nodes if name not in old.nodes and name not in taken]
    return _pairs(
        {name: evidence(old, name, before) for name in gone},
        {name: evidence(new, name, after) for name in came},
        several,
    )


def _pairs(
    gone: Mapping[str, Hashable], came: Mapping[str, Hashable], several: bool = False
) -> dict[str, str]:
    """Names with the same evidence: one on each side, or as many, then in their order."""
    left, right = _groups(gone), _groups(came)
    return {
        a: b
        for evidence, names in left.items()
        if evidence is not None and len(names) == len(right.get(evidence, ()))
        if several or len(names) == 1
        for a, b in zip(names, right[evidence], strict=True)
    }


def _groups(evidence_of: Mapping[str, Hashable]) -> dict[Hashable, list[str]]:
    groups: dict[Hashable, list[str]] = {}
    for name, evidence in evidence_of.items():
        groups.setdefault(evidence, []).append(name)
    return groups


def _wired(graph: Graph, name: str, end: Callable[[str], str]) -> Hashable:
    """Its kind and all of its wires; its settings where there is none."""
    node = graph.nodes[name]
    into, out = _into(graph, name, end), _out(graph, name, end)
    owner = end(node.weights_of) if node.weights_of else None
    return node.block, owner, into, out, "" if into or out else _settings(node)


def _fed(graph: Graph, name: str, end: Callable[[str], str]) -> Hashable:
    """What it is and what it reads; None where it reads nothing that is known."""
    into = _into(graph, name, end)
    return (graph.nodes[name].block, _settings(graph.nodes[name]), into) if _known(into) else None


def _read(graph: Graph, name: str, end: Callable[[str], str]) -> Hashable:
    """What it is and what reads it; None where nothing known does."""
    out = _out(graph, name, end)
    return (graph.nodes[name].block, _settings(graph.nodes[name]), out) if _known(out) else None


def _settings(node: Node) -> str:
    return dumps((node.settings, node.label), sort_keys=True)


_Ends = tuple[tuple[str, str, str], ...]


def _known(ends: _Ends) -> bool:
    return any(other for _, _, other in ends)


def _into(graph: Graph, name: str, end: Callable[[str], str]) -> _Ends:
    return _sorted((e.target_port, e.source_port, end(e.source)) for e in graph.into(name))


def _out(graph: Graph, name: str, end: Callable[[str], str]) -> _Ends:
    def far(edge: Edge) -> tuple[str, str, str]:
        return edge.source_port, edge.target_port, end(edge.target)

    return _sorted(far(edge) for edge in graph.out_of(name))


def _sorted(ends: Iterable[tuple[str, str, str]]) -> _Ends:
    in_order: Any = sorted(ends)
    return tuple(in_order)
