"""Renames in a merge: both sides are renamed to the base's names, merged, and renamed again."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, cast

from core.graph import Composite, Graph, Node
from core.project.merging.values import MergeLog
from core.project.model import Project
from core.project.rename_references import rename_references
from core.project.renames import renamed, renamed_composites

Names = Mapping[str, str]
AWAY = "\0"
"""Prefix of a name that one side gave up: where it is still used, it refers to nothing."""


def _none() -> dict[str, Any]:
    return {}


@dataclass(frozen=True)
class Renames:
    """parts: composites. nodes: blocks, by the composite they are in ("" for the graph itself)."""

    parts: Names = field(default_factory=_none)
    nodes: Mapping[str, Names] = field(default_factory=_none)


def scopes(project: Project) -> dict[str, Graph]:
    """The graph of a project as "", and those of its composites by name."""
    parts = project.graph.composites
    return {"": project.graph, **{name: part.graph for name, part in parts.items()}}


def path(scope: str, name: str) -> str:
    """Name a block as reports do: "Residual.conv1"."""
    return f"{scope}.{name}" if scope else name


def under_base_names(base: Project, side: Project) -> tuple[Project, Renames]:
    """The side under the names of the base, and the names it gave; by names of the base."""
    parts = renamed_composites(base.graph.composites, side.graph.composites)
    side = under(side, Renames(_back(parts)))
    others = scopes(side)
    node_names = {
        scope: renamed(old, others[scope]) for scope, old in scopes(base).items() if scope in others
    }
    return under(side, Renames({}, {k: _back(v) for k, v in node_names.items()})), Renames(
        parts, node_names
    )


def _back(names: Names) -> dict[str, str]:
    return {new: old for old, new in names.items()} | {old: AWAY + old for old in names}


def under(project: Project, names: Renames) -> Project:
    """The project with its blocks and composites under other names, everywhere it names them.

    nodes: by the present names of composites.
    """
    if not names.parts and not any(names.nodes.values()):
        return project
    top = names.nodes.get("", {})
    graph = _graph(project.graph, top, names.parts)
    parts = {
        names.parts.get(name, name): replace(
            part, graph=_graph(part.graph, names.nodes.get(name, {}), names.parts)
        )
        for name, part in project.graph.composites.items()
    }
    return replace(
        rename_references(project, top),
        graph=replace(graph, composites=parts),
        layout={_place(key, names): value for key, value in project.layout.items()},
        notes=tuple(_note(note, names) for note in project.notes),
    )


def _graph(graph: Graph, names: Names, parts: Names) -> Graph:
    def new(name: str) -> str:
        return names.get(name, name)

    def node(old: Node) -> Node:
        block = parts.get(old.block, old.block)
        return replace(old, block=block, weights_of=new(old.weights_of))

    edges = (replace(e, source=new(e.source), target=new(e.target)) for e in graph.edges)
    return replace(
        graph, nodes={new(k): node(n) for k, n in graph.nodes.items()}, edges=tuple(edges)
    )


def _place(key: str, names: Renames) -> str:
    scope, dot, name = key.rpartition(".")
    name = names.nodes.get(scope, {}).get(name, name)
    return f"{names.parts.get(scope, scope)}{dot}{name}"


def _note(note: Any, names: Renames) -> Any:
    if not isinstance(note, Mapping):
        return note
    data = dict(cast(Mapping[str, Any], note))
    inside, node = data.get("inside", ""), data.get("node")
    if isinstance(inside, str) and isinstance(node, str):
        data["node"] = names.nodes.get(inside, {}).get(node, node)
    if inside and isinstance(inside, str):
        data["inside"] = names.parts.get(inside, inside)
    return data


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
