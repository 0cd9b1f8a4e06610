"""Three-way merge of projects: blocks, edges, settings of a base and two versions, ours and theirs.

What one side changed is taken. Where both changed one thing, or what is right in each is wrong
together, there is a conflict, and the merge keeps ours there. Nothing runs and no file is written.
"""

from dataclasses import dataclass, replace
from functools import partial

from core.errors import ProjectError
from core.graph import Graph
from core.project.merging.aside import merge_layout, merge_notes
from core.project.merging.checks import checked
from core.project.merging.names import Renames, agreed, path, scopes, tied, told_apart, under
from core.project.merging.nodes import Place, merge_nodes
from core.project.merging.parts import merge_parts
from core.project.merging.values import Conflict, Told, merge_map, merge_value
from core.project.merging.wires import merge_wires
from core.project.model import Project
from core.project.read import read_text
from core.project.write import write_text

__all__ = ["Conflict", "Merged", "merge"]

Three = tuple[Project, Project, Project]


@dataclass(frozen=True)
class Merged:
    """A project that opens. conflicts: where it holds ours. remarks: what is good to know."""

    project: Project
    conflicts: tuple[Conflict, ...] = ()
    remarks: tuple[str, ...] = ()


@dataclass(frozen=True)
class _Merge:
    """All that a merge of one graph needs. held: blocks that are ours's with all their wires."""

    told: Told
    names: Renames
    ours: Renames
    theirs: Renames
    projects: Three
    held: set[str]


def merge(base: Project, ours: Project, theirs: Project) -> Merged:
    """Merge what became of `base` on two sides."""
    told = Told()
    mine, our_names = told_apart(base, ours)
    yours, their_names = told_apart(base, theirs)
    names, yours = agreed(told, base, (mine, our_names), (yours, their_names))
    work = _Merge(told, names, our_names, their_names, (base, mine, yours), set())
    found = _merge(work)
    found = checked(told, *(under(tied(each), names) for each in (found, mine, yours)))
    try:
        project = read_text(write_text(found))
    except ProjectError as error:
        told.conflict("project", f"Together they make a project that does not open: {error}")
        project = ours
    return Merged(project, tuple(told.conflicts), tuple(told.remarks))


def _merge(work: _Merge) -> Project:
    told, three = work.told, work.projects
    graph = _graph(work, "", tuple(project.graph for project in three))
    parts = merge_parts(told, work.names, three, partial(_graph, work))
    extra = merge_map(told, ("graph", "extra"), *(project.graph.extra for project in three))
    found = Project(graph=replace(graph, composites=parts, extra=extra))
    blocks = {path(scope, name) for scope, part in scopes(found).items() for name in part.nodes}

    def say(place: str) -> str:
        scope, _, name = place.rpartition(".")
        here = work.names.parts.get(scope, scope)
        return path(here, work.names.nodes.get(scope, {}).get(name, name))

    return replace(
        found,
        name=merge_value(told, ("name",), *(project.name for project in three)),
        about=merge_value(told, ("about",), *(project.about for project in three)),
        data=merge_map(told, ("data",), *(project.data for project in three)),
        training=merge_map(told, ("training",), *(project.training for project in three)),
        notes=merge_notes(told, [project.notes for project in three]),
        layout=merge_layout(told, [project.layout for project in three], blocks, work.held, say),
        specialised=merge_value(told, ("specialised",), *(p.specialised for p in three)),
        extra=merge_map(told, ("project", "extra"), *(project.extra for project in three)),
    )


def _graph(work: _Merge, scope: str, three: tuple[Graph, ...]) -> Graph:
    base, ours, theirs = three
    place = Place(
        work.told,
        work.names.parts.get(scope, scope),
        work.names.nodes.get(scope, {}),
        work.ours.nodes.get(scope, {}),
        work.theirs.nodes.get(scope, {}),
        () if scope else work.projects,
    )
    nodes, held = merge_nodes(place, (base, ours, theirs))
    work.held.update(path(scope, name) for name in held)
    wires = merge_wires(place, (base, ours, theirs), nodes, held)
    return Graph(nodes, tuple(wires))
