"""Merge of the nodes of a graph, in an order that agrees with both sides."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

from core.graph import Edge, Graph, Node
from core.project.base_names import AWAY, Names, path
from core.project.graph_json import node_to_json
from core.project.model import Project
from core.project.rename_references import rename_references
from core.wings.merge.order import order_of
from core.wings.merge.values import MISSING, MergeLog, merge_map, same, written

MOST_REASONS = 3


@dataclass(frozen=True)
class MergeContext:
    """The merge of one graph: the log, the name of its composite, the names of its nodes.

    ours, theirs: what each side renamed; names: what came of it. All by the names of the base.
    projects: base, ours, theirs, whose settings name blocks of this graph; () inside composites.
    """

    log: MergeLog
    scope: str
    names: Names
    ours: Names
    theirs: Names
    projects: tuple[Project, ...] = ()

    def say(self, name: str) -> str:
        """Name a block as it is called after the merge."""
        return path(self.scope, self.names.get(name, name))

    def wire(self, edge: Edge) -> str:
        """Write a wire for a sentence."""
        end = ".".join(part for part in (self.say(edge.target), edge.target_port) if part)
        return f"{self.say(edge.source)} -> {end}"


Three = tuple[Graph, Graph, Graph]
"""The base, ours, theirs, all under the names of the base."""


def merge_nodes(context: MergeContext, three: Three) -> tuple[dict[str, Node], dict[str, int]]:
    """Merge the blocks of one graph; and those that one side has with all their wires: 1 for
    ours, 2 for theirs."""
    base, ours, theirs = (graph.nodes for graph in three)
    nodes: dict[str, Node] = {}
    held: dict[str, int] = {}
    for name in dict.fromkeys((*base, *ours, *theirs)):
        mine, yours = ours.get(name), theirs.get(name)
        if mine and yours and (name in base or not _different(context, name, three)):
            nodes[name] = _merge_node(context, name, base.get(name), mine, yours)
        elif mine and yours:
            held[name] = _choose_block(context, name, three)
            nodes[name] = (mine, yours)[held[name] - 1]
        elif added := (mine or yours) if name not in base else None:
            nodes[name] = added
        elif (side := _deciding_side(context, name, three) if mine or yours else 0) and (
            kept := (mine, yours)[side - 1]
        ):
            held[name] = side
            nodes[name] = kept
    return _ordered(context, three, nodes), held


def _ordered(context: MergeContext, three: Three, nodes: Mapping[str, Node]) -> dict[str, Node]:
    base, ours, theirs = (list(graph.nodes) for graph in three)
    order, clash = order_of(base, ours, theirs, nodes)
    if clash:
        both = set(base) & set(ours) & set(theirs) & set(nodes)
        mine, yours = ([name for name in side if name in both] for side in (ours, theirs))
        one, other = next((a, b) for a, b in zip(mine, yours, strict=True) if a != b)
        one, other = context.say(one), context.say(other)
        context.log.conflict(
            context.scope or "graph",
            f"Both changed the order of blocks: {one} before {other} in ours, "
            f"{other} before {one} in theirs.",
            base,
            ours,
            theirs,
        )
    return {name: nodes[name] for name in order}


def _record(node: Node) -> dict[str, Any]:
    return {field.name: getattr(node, field.name) for field in fields(Node)}


def _merge_node(
    context: MergeContext, name: str, base: Node | None, ours: Node, theirs: Node
) -> Node:
    was = _record(base) if base else {}
    made = merge_map(context.log, (context.say(name),), was, _record(ours), _record(theirs))
    return Node(**made)


def _different(context: MergeContext, name: str, three: Three) -> bool:
    """Whether both added different blocks under one name."""
    _, ours, theirs = three
    mine, yours = ours.nodes[name], theirs.nodes[name]
    return mine.block != yours.block or _sources(ours, name) != _sources(theirs, name)


def _choose_block(context: MergeContext, name: str, three: Three) -> int:
    """Add a conflict of two blocks under one name. Return the side that is taken, 1 or 2."""
    _, ours, theirs = three
    mine, yours = ours.nodes[name], theirs.nodes[name]
    texts = [_described(context, graph, name) for graph in (ours, theirs)]
    here = context.say(name)
    message = f"Both add a different {here}: {texts[0]} in ours, {texts[1]} in theirs."
    values = None, node_to_json(mine), node_to_json(yours)
    return 2 if context.log.choose(here, message, *values) else 1


def _sources(graph: Graph, name: str) -> dict[str, tuple[str, str]]:
    return {edge.target_port: (edge.source, edge.source_port) for edge in graph.into(name)}


def _described(context: MergeContext, graph: Graph, name: str) -> str:
    node = graph.nodes[name]
    kind = node.block or f"a block with the weights of {context.say(node.weights_of)}"
    settings = f" {written(node.settings)}" if node.settings else ""
    sources = ", ".join(dict.fromkeys(context.say(edge.source) for edge in graph.into(name)))
    return f"{kind}{settings} fed by {sources or 'nothing'}"


def _deciding_side(context: MergeContext, name: str, three: Three) -> int:
    """The side that decides on a block which one side removed and the other changed or used, a
    conflict; 0 where it was only removed."""
    base, ours, theirs = three
    by_ours = name not in ours.nodes
    side, names = (theirs, context.theirs) if by_ours else (ours, context.ours)
    done = [
        *_renamings(names, name),
        *_settings(base, side, name),
        *_uses(context, base, side, name),
    ]
    done += _mentions(context.projects, 2 if by_ours else 1, name)
    if not done:
        return 0
    more = f" and {len(done) - MOST_REASONS} more" if len(done) > MOST_REASONS else ""
    gone, other = ("ours", "theirs") if by_ours else ("theirs", "ours")
    here, nodes = path(context.scope, name), [graph.nodes.get(name) for graph in three]
    message = f"{here} was removed in {gone}; {other} {', '.join(done[:MOST_REASONS])}{more}."
    values = (node_to_json(n) if n else None for n in nodes)
    return 2 if context.log.choose(here, message, *values) else 1


def _renamings(names: Names, name: str) -> list[str]:
    return [f"renames it to {names[name]}"] if name in names else []


def _mentions(projects: Sequence[Project], side: int, name: str) -> list[str]:
    """What of the data and training of a side names a block that the base's does not."""
    return [
        f"names it in {part}"
        for part in ("data", "training")
        if projects and _named(projects[side], part, name) > _named(projects[0], part, name)
    ]


def _named(project: Project, part: str, name: str) -> bool:
    return getattr(rename_references(project, {name: AWAY}), part) != getattr(project, part)


def _settings(base: Graph, side: Graph, name: str) -> list[str]:
    """What a side set of a block, in words."""
    before, after = (_flat(graph.nodes[name]) for graph in (base, side))
    return [
        f"sets {key} to {written(after[key])}" if key in after else f"removes {key}"
        for key in dict.fromkeys((*before, *after))
        if not same(before.get(key, MISSING), after.get(key, MISSING))
    ]


def _flat(node: Node) -> dict[str, Any]:
    data = _record(node)
    return {**data.pop("settings"), **data.pop("extra"), **data}


def _uses(context: MergeContext, base: Graph, side: Graph, name: str) -> list[str]:
    """Wires and shared weights of a block that only a side has, in words."""
    old = {_end(edge) for edge in (*base.into(name), *base.out_of(name))}
    edges = [e for e in (*side.into(name), *side.out_of(name)) if _end(e) not in old]
    sharers = sorted(_sharers(side, name) - _sharers(base, name))
    return [f"wires {context.wire(edge)}" for edge in edges] + [
        f"lets {context.say(key)} use its weights" for key in sharers
    ]


def _sharers(graph: Graph, name: str) -> set[str]:
    return {key for key, node in graph.nodes.items() if node.weights_of == name}


def _end(edge: Edge) -> tuple[str, str, str, str]:
    """An edge without its index in a list port."""
    return edge.source, edge.source_port, edge.target, edge.target_port.partition(".")[0]
