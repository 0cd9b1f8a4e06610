"""The difference of two graphs by node name: added, removed, changed."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import Any

from blocks import CATALOGUE
from core.graph.model import Edge, Graph, Node
from core.graph.ports import resolve

Change = tuple[Any, Any]


@dataclass(frozen=True)
class Difference:
    """Nodes and wires by path ("Stage.conv1"), from an old drawing to a new one.

    changed: node -> what about it -> (old, new), None where it was not set. Wires as
    (source.port, target.port). renamed: old to new path, of nodes and composites; all other paths
    are the new ones.
    """

    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    changed: Mapping[str, Mapping[str, Change]] = field(default_factory=lambda: {})
    wires_added: tuple[tuple[str, str], ...] = ()
    wires_removed: tuple[tuple[str, str], ...] = ()
    renamed: Mapping[str, str] = field(default_factory=lambda: {})

    def __bool__(self) -> bool:
        edges = self.wires_added, self.wires_removed
        return any((self.added, self.removed, self.changed, *edges, self.renamed))


def difference(old: Graph, new: Graph) -> Difference:
    """Compare two drawings with their composites by name: a renamed node was removed and added."""
    before, after = _nodes(old), _nodes(new)
    changed = {
        path: node_changes
        for path in after
        if path in before and (node_changes := _changes(before[path], after[path]))
    }
    for name, part_changes in _parts(old, new).items():
        changed[name] = {**changed.get(name, {}), **part_changes}
    wires_before, wires_after = _wires(old), _wires(new)
    return Difference(
        added=tuple(path for path in after if path not in before),
        removed=tuple(path for path in before if path not in after),
        changed=changed,
        wires_added=tuple(edge for edge in wires_after if edge not in wires_before),
        wires_removed=tuple(edge for edge in wires_before if edge not in wires_after),
    )


def _nodes(graph: Graph) -> dict[str, Node]:
    nodes = dict(graph.nodes)
    for name, composite in graph.composites.items():
        nodes |= {f"{name}.{node}": value for node, value in composite.graph.nodes.items()}
    return nodes


def _parts(old: Graph, new: Graph) -> dict[str, dict[str, Change]]:
    """What changed about composites themselves: their settings, and own Python."""
    changed = {name: {"python": pair} for name, pair in _python(old, new).items()}
    for name, part in new.composites.items():
        before = old.composites.get(name)
        if before is None or part.python:
            continue
        settings = _differing(before.settings, part.settings)
        if settings:
            changed[name] = settings
    return changed


def _python(old: Graph, new: Graph) -> dict[str, Change]:
    """Blocks of own Python with another text: the first line that is another."""
    changed: dict[str, Change] = {}
    for name, part in new.composites.items():
        before = old.composites.get(name)
        if before is None or part.python == before.python:
            continue
        texts = [text.split("\n") for text in (before.python, part.python)]
        number = next(i for i, (a, b) in enumerate(zip_longest(*texts)) if a != b)
        was, is_ = (_line(text, number) for text in texts)
        changed[name] = (was, is_)
    return changed


def _line(text: list[str], number: int) -> str | None:
    return f"line {number + 1}: {text[number]}" if number < len(text) and any(text) else None


def _wires(graph: Graph) -> dict[tuple[str, str], None]:
    """All wires as keys, in the order of the file."""
    edges = dict.fromkeys(ends(edge) for edge in graph.edges)
    for name, composite in graph.composites.items():
        edges |= dict.fromkeys(ends(edge, f"{name}.") for edge in composite.graph.edges)
    return edges


def ends(edge: Edge, scope: str = "") -> tuple[str, str]:
    """A wire as differences name it. scope: "Stage." of a wire inside of that composite."""
    return (
        f"{scope}{edge.source}.{edge.source_port}".rstrip("."),
        f"{scope}{edge.target}.{edge.target_port}".rstrip("."),
    )


def _changes(old: Node, new: Node) -> dict[str, Change]:
    changed: dict[str, Change] = {}
    for name in ("block", "repeat", "weights_of", "label", "frozen", "lr_factor", "unused"):
        was, is_ = getattr(old, name), getattr(new, name)
        if was != is_:
            changed[name] = (was, is_)
    return {**changed, **_differing(old.settings, new.settings)}


def _differing(old: Mapping[str, Any], new: Mapping[str, Any]) -> dict[str, Change]:
    pairs = {name: (old.get(name), new.get(name)) for name in dict.fromkeys((*old, *new))}
    return {name: (was, is_) for name, (was, is_) in pairs.items() if was != is_}


def same_network(first: Graph, second: Graph) -> bool:
    """Whether both compute the same with the same weights: blocks, their ids and order, settings
    and wires.

    A setting at its default may be left out; labels, learning rates of blocks and which are frozen
    change no result.
    """
    return _drawn(first, first) == _drawn(second, second)


def _drawn(whole: Graph, graph: Graph) -> dict[str, Any]:
    """What a graph computes, as values to compare."""
    nodes = [(name, _node(node, graph.nodes)) for name, node in graph.nodes.items()]
    wires = {(e.source, e.source_port, e.target, e.target_port) for e in graph.edges}
    used = {node.block for node in graph.nodes.values()} & set(whole.composites)
    parts = {
        name: (
            whole.composites[name].python,
            dict(whole.composites[name].settings),
            _drawn(whole, whole.composites[name].graph),
        )
        for name in used
    }
    return {"nodes": nodes, "wires": wires, "parts": parts}


def _node(node: Node, nodes: Mapping[str, Node]) -> tuple[Any, ...]:
    block = CATALOGUE.get(resolve(node, nodes).block)
    defaults = block.defaults if block else {}
    settings = {
        key: value
        for key, value in node.settings.items()
        if key not in defaults or defaults[key] != value
    }
    return node.block, settings, node.repeat, node.weights_of, node.unused
