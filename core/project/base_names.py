"""Two versions of a project under the same names: blocks that one renamed get those of the base."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, cast

from core.graph import Graph, Node
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
