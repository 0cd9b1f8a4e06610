"""Merge of edges: a port has one source, a list port has an order."""

from collections.abc import Iterable, Mapping, Sequence, Set

from core.graph import Edge, Graph
from core.wings.merge.nodes import MergeContext, Three

Source = tuple[str, str]
Feeds = Mapping[int, Source]
"""What feeds a port: by place in the list, or by 0 where the port is no list."""
Port = tuple[str, str]
"""Of which block, and its name; that of a list ends in a dot."""


def merge_wires(
    context: MergeContext, three: Three, names: Iterable[str], held: Mapping[str, int]
) -> list[Edge]:
    """Merge the edges between the nodes in `names`; those of `held` are as one side has them."""
    order = {name: index for index, name in enumerate(names)}
    base, ours, theirs = (_ports(graph, order) for graph in three)
    from_gone = _from_gone(three[0], three[2], order)
    edges: list[Edge] = []
    for port in dict.fromkeys((*base, *ours, *theirs)):
        feeds = [version.get(port, {}) for version in (base, ours, theirs)]
        side = 1 if port in from_gone else _side(port, feeds, held)
        merged = feeds[side] if side else _merge(context, port, feeds, order)
        edges += [_edge(port, index, source) for index, source in merged.items()]
    return edges


def _ports(graph: Graph, names: Mapping[str, int]) -> dict[Port, dict[int, Source]]:
    """What feeds each port; a wire of a block that is gone went with it."""
    feeds: dict[Port, dict[int, Source]] = {}
    for edge in graph.edges:
        if edge.source in names and edge.target in names:
            index = edge.target_port.partition(".")[2]
            feeds.setdefault(_port(edge), {})[int(index or 0)] = (edge.source, edge.source_port)
    return feeds


def _port(edge: Edge) -> Port:
    head, dot, _ = edge.target_port.partition(".")
    return edge.target, head + dot


def _from_gone(base: Graph, theirs: Graph, names: Mapping[str, int]) -> set[Port]:
    """Ports that theirs newly feeds from a node that the merge left out, with a conflict for it."""
    new = (edge for edge in theirs.edges if edge.source not in names and edge not in base.edges)
    return {_port(edge) for edge in new}


def _edge(port: Port, index: int, source: Source) -> Edge:
    name, head = port
    return Edge(*source, name, f"{head}{index}" if head.endswith(".") else head)


def _side(port: Port, feeds: Iterable[Feeds], held: Mapping[str, int]) -> int:
    """The side whose wires a port keeps, as it or what feeds it is held; 0 for a merge."""
    names = [port[0], *(name for each in feeds for name, _ in each.values())]
    return next((held[name] for name in names if name in held), 0)


def _merge(
    context: MergeContext, port: Port, feeds: Sequence[Feeds], order: Mapping[str, int]
) -> Feeds:
    base, ours, theirs = feeds
    if ours == base:
        return theirs
    if theirs in (base, ours):
        return ours
    if port[1].endswith("."):
        lists = [[each[index] for index in sorted(each)] for each in feeds]
        merged = _merge_lists(context, port, lists, order)
        if merged is not None:
            return dict(enumerate(merged))
    return theirs if _choose(context, port, feeds) else ours


def _choose(context: MergeContext, port: Port, feeds: Sequence[Feeds]) -> bool:
    texts = [_written(context, each) for each in feeds]
    here = f"{context.say(port[0])}.{port[1]}".rstrip(".")
    was, mine, yours = texts
    message = f"{here} is fed by {mine} in ours and by {yours} in theirs ({was} before)."
    values = (text if text != "nothing" else None for text in texts)
    return context.log.choose(here, message, *values)


def _written(context: MergeContext, feeds: Feeds) -> str:
    names = [context.say(feeds[index][0]) for index in sorted(feeds)]
    return ", ".join(names) or "nothing"


def _merge_lists(
    context: MergeContext, port: Port, lists: list[list[Source]], order: Mapping[str, int]
) -> list[Source] | None:
    """Merge what stands between sources that all three have; None where both changed the same gap.

    Where both only added in the same gap, what stands first in the file comes first: so the list is
    the same whoever merges.
    """
    base, ours, theirs = lists
    common = set(base) & set(ours) & set(theirs)
    spines = [[source for source in each if source in common] for each in lists]
    if not spines[0] == spines[1] == spines[2] or len(spines[0]) != len(common):
        return None
    sources: list[Source] = []
    gaps = (_gaps(each, common) for each in lists)
    for index, (was, mine, yours) in enumerate(zip(*gaps, strict=True)):
        if yours in (was, mine):
            sources += mine
        elif mine == was:
            sources += yours
        elif not was and not set(mine) & set(yours):
            sources += _both(
                context, port, sorted((mine, yours), key=lambda r: (order[r[0][0]], r))
            )
        else:
            return None
        sources += spines[0][index : index + 1]
    return sources


def _gaps(sources: list[Source], common: Set[Source]) -> list[list[Source]]:
    """What stands before, between and after the common ones."""
    gaps: list[list[Source]] = [[]]
    for source in sources:
        if source in common:
            gaps.append([])
        else:
            gaps[-1].append(source)
    return gaps


def _both(context: MergeContext, port: Port, runs: list[list[Source]]) -> list[Source]:
    sources = [source for run in runs for source in run]
    names = ", ".join(context.say(name) for name, _ in sources)
    here = f"{context.say(port[0])}.{port[1]}".rstrip(".")
    context.log.remarks.append(f"Both added wires to {here}; their order is now: {names}.")
    return sources
