"""Renames in a merge: both sides are renamed to the base's names, merged, and renamed again."""

from collections.abc import Iterable, Mapping
from dataclasses import replace

from core.graph import Composite, Graph
from core.project.base_names import AWAY, Names, Renames, path, scopes
from core.project.model import Project
from core.wings.merge.values import MergeLog


def agreed_names(
    log: MergeLog, base: Project, ours: tuple[Project, Renames], theirs: tuple[Project, Renames]
) -> tuple[Renames, Project]:
    """The names after the merge, by those of the base; and theirs without what lost its name.

    Both sides are under the names of the base.
    """
    parts, lost = _chosen(
        log,
        "",
        base.graph.composites,
        (ours[0].graph.composites, ours[1].parts),
        (theirs[0].graph.composites, theirs[1].parts),
    )
    other = _without_parts(theirs[0], lost)
    nodes: dict[str, Names] = {}
    old, mine, yours = scopes(base), scopes(ours[0]), scopes(other)
    for scope in old:
        if scope in mine and scope in yours:
            nodes[scope], lost = _chosen(
                log,
                parts.get(scope, scope),
                old[scope].nodes,
                (mine[scope].nodes, ours[1].nodes.get(scope, {})),
                (yours[scope].nodes, theirs[1].nodes.get(scope, {})),
            )
            other = _without_nodes(other, scope, lost)
            given_up = (*ours[1].nodes.get(scope, {}), *theirs[1].nodes.get(scope, {}))
            nodes[scope] = {**nodes[scope], **_taken_up(given_up)}
    return Renames(parts | _taken_up((*ours[1].parts, *theirs[1].parts)), nodes), other


def _taken_up(names: Iterable[str]) -> dict[str, str]:
    return {AWAY + name: name for name in names}


def _chosen(
    log: MergeLog,
    scope: str,
    base: Iterable[str],
    ours: tuple[Iterable[str], Names],
    theirs: tuple[Iterable[str], Names],
) -> tuple[dict[str, str], list[str]]:
    """New names by old ones, and what theirs added under a name that ours gave another."""
    old, chosen, lost = set(base), dict(ours[1]), list[str]()
    mine, yours = set(ours[0]) - old | set(chosen.values()), set(theirs[0]) - old
    for name, new in theirs[1].items():
        own, here = chosen.get(name, name), path(scope, name)
        if own not in (name, new):
            log.conflict(
                here, f"{here} was renamed to {own} in ours and to {new} in theirs.", name, own, new
            )
        elif own == name and new in mine:
            message = f"{here} was renamed to {new} in theirs, but ours has another {new}."
            log.conflict(here, message, name, name, new)
        else:
            chosen[name] = new
    for name, new in ours[1].items():
        if new in yours:
            message = (
                f"{path(scope, name)} was renamed to {new} in ours, but theirs adds another {new}."
            )
            log.conflict(path(scope, new), message, name, new, new)
            lost.append(new)
    return chosen, lost


def _without_nodes(project: Project, scope: str, names: Iterable[str]) -> Project:
    """Their wires stay, so that it shows where they were; `tied` takes them away."""
    gone = set(names)
    graph = scopes(project)[scope]
    nodes = {name: node for name, node in graph.nodes.items() if name not in gone}
    return with_graphs(project, {scope: replace(graph, nodes=nodes)}) if gone else project


def tied(project: Project) -> Project:
    """The project without wires of blocks that it does not have."""
    graphs = scopes(project)
    return with_graphs(project, {scope: _tied(graph) for scope, graph in graphs.items()})


def _tied(graph: Graph) -> Graph:
    nodes = graph.nodes
    edges = tuple(e for e in graph.edges if e.source in nodes and e.target in nodes)
    return replace(graph, edges=edges)


def _without_parts(project: Project, names: Iterable[str]) -> Project:
    gone = set(names)
    parts = {name: part for name, part in project.graph.composites.items() if name not in gone}
    return replace(project, graph=replace(project.graph, composites=parts))


def with_graphs(project: Project, graphs: Mapping[str, Graph]) -> Project:
    """The project with other graphs, by scope."""
    top = graphs.get("", project.graph)
    parts: dict[str, Composite] = {
        name: replace(part, graph=graphs.get(name, part.graph))
        for name, part in project.graph.composites.items()
    }
    return replace(project, graph=replace(top, composites=parts))
