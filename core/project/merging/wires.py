"""Merge of edges: a port has one source, a list port has an order."""

from collections.abc import Iterable, Mapping, Sequence, Set

from core.graph import Edge, Graph
from core.project.merging.nodes import Place, Three

Source = tuple[str, str]
Feeds = Mapping[int, Source]
"""What feeds a port: by place in the list, or by 0 where the port is no list."""
Port = tuple[str, str]
"""Of which block, and its name; that of a list ends in a dot."""


def merge_wires(place: Place, three: Three, kept: Iterable[str], held: Set[str]) -> list[Edge]:
    """Merge the wires between the blocks of `kept`; those of `held` are as ours has them."""
    order = {name: index for index, name in enumerate(kept)}
    base, ours, theirs = (_ports(graph, order) for graph in three)
    from_gone = _from_gone(three[0], three[2], order)
    found: list[Edge] = []
    for port in dict.fromkeys((*base, *ours, *theirs)):
        feeds = [version.get(port, {}) for version in (base, ours, theirs)]
        ours_only = port in from_gone or _touches(port, feeds, held)
        merged = feeds[1] if ours_only else _merge(place, port, feeds, order)
        found += [_edge(port, index, source) for index, source in merged.items()]
    return found


def _ports(graph: Graph, kept: Mapping[str, int]) -> dict[Port, dict[int, Source]]:
    """What feeds each port; a wire of a block that is gone went with it."""
    found: dict[Port, dict[int, Source]] = {}
    for edge in graph.edges:
        if edge.source in kept and edge.target in kept:
            index = edge.target_port.partition(".")[2]
            found.setdefault(_port(edge), {})[int(index or 0)] = (edge.source, edge.source_port)
    return found


def _port(edge: Edge) -> Port:
    head, dot, _ = edge.target_port.partition(".")
    return edge.target, head + dot


def _from_gone(base: Graph, theirs: Graph, kept: Mapping[str, int]) -> set[Port]:
    """Ports that theirs newly feeds from a block that ours does not let in, which was told."""
    new = (edge for edge in theirs.edges if edge.source not in kept and edge not in base.edges)
    return {_port(edge) for edge in new}


def _edge(port: Port, index: int, source: Source) -> Edge:
    name, head = port
    return Edge(*source, name, f"{head}{index}" if head.endswith(".") else head)


def _touches(port: Port, feeds: Iterable[Feeds], held: Set[str]) -> bool:
    return port[0] in held or any(name in held for each in feeds for name, _ in each.values())


def _merge(place: Place, port: Port, feeds: Sequence[Feeds], order: Mapping[str, int]) -> Feeds:
    base, ours, theirs = feeds
    if ours == base:
        return theirs
    if theirs in (base, ours):
        return ours
    if port[1].endswith("."):
        lists = [[each[index] for index in sorted(each)] for each in feeds]
        merged = _merge_lists(place, port, lists, order)
        if merged is not None:
            return dict(enumerate(merged))
    _tell(place, port, feeds)
    return ours


def _tell(place: Place, port: Port, feeds: Sequence[Feeds]) -> None:
    texts = [_written(place, each) for each in feeds]
    here = f"{place.say(port[0])}.{port[1]}".rstrip(".")
    was, mine, yours = texts
    message = f"{here} is fed by {mine} in ours and by {yours} in theirs ({was} before)."
    place.told.conflict(here, message, *(text if text != "nothing" else None for text in texts))


def _written(place: Place, feeds: Feeds) -> str:
    names = [place.say(feeds[index][0]) for index in sorted(feeds)]
    return ", ".join(names) or "nothing"


def _merge_lists(
    place: Place, port: Port, lists: list[list[Source]], order: Mapping[str, int]
) -> list[Source] | None:
    """Merge what stands between sources that all three have; None where both changed one place.

    Where both only added at one place, what stands first in the file comes first: so the list is
    the same whoever merges.
    """
    base, ours, theirs = lists
    common = set(base) & set(ours) & set(theirs)
    spines = [[source for source in each if source in common] for each in lists]
    if not spines[0] == spines[1] == spines[2] or len(spines[0]) != len(common):
        return None
    found: list[Source] = []
    gaps = (_gaps(each, common) for each in lists)
    for index, (was, mine, yours) in enumerate(zip(*gaps, strict=True)):
        if yours in (was, mine):
            found += mine
        elif mine == was:
            found += yours
        elif not was and not set(mine) & set(yours):
            found += _both(place, port, sorted((mine, yours), key=lambda r: (order[r[0][0]], r)))
        else:
            return None
        found += spines[0][index : index + 1]
    return found


def _gaps(sources: list[Source], common: Set[Source]) -> list[list[Source]]:
    """What stands before, between and after the common ones."""
    found: list[list[Source]] = [[]]
    for source in sources:
        if source in common:
            found.append([])
        else:
            found[-1].append(source)
    return found


def _both(place: Place, port: Port, runs: list[list[Source]]) -> list[Source]:
    found = [source for run in runs for source in run]
    names = ", ".join(place.say(name) for name, _ in found)
    here = f"{place.say(port[0])}.{port[1]}".rstrip(".")
    place.told.remarks.append(f"Both added wires to {here}; they follow in this order: {names}.")
    return found
