"""Three-way merge of projects: blocks, edges, settings of a base and two versions, ours and theirs.

What one side changed is taken. Where both changed one thing, or what is right in each is wrong
together, there is a conflict, and the merge keeps ours there. Nothing runs and no file is written.
"""

from collections.abc import Collection
from dataclasses import dataclass, replace
from functools import partial

from core.common.errors import ProjectError
from core.graph import Graph
from core.project.base_names import Renames, path, scopes, under, under_base_names
from core.project.model import Project
from core.project.read import read_text
from core.project.write import write_text
from core.wings.merge.checks import checked
from core.wings.merge.layout import merge_layout, merge_notes
from core.wings.merge.names import agreed_names, tied
from core.wings.merge.nodes import MergeContext, merge_nodes
from core.wings.merge.parts import merge_parts
from core.wings.merge.values import MergeConflict, MergeLog, merge_map, merge_value
from core.wings.merge.wires import merge_wires

__all__ = ["MergeConflict", "Merged", "merge"]

Three = tuple[Project, Project, Project]


@dataclass(frozen=True)
class Merged:
    """A project that opens. conflicts: where it holds ours, or theirs if that was chosen. remarks:
    what is good to know. either: messages of the conflicts in which theirs can be chosen."""

    project: Project
    conflicts: tuple[MergeConflict, ...] = ()
    remarks: tuple[str, ...] = ()
    either: frozenset[str] = frozenset()


@dataclass(frozen=True)
class _Merge:
    """All that a merge of one graph needs. held: blocks that one side has with all their wires:
    1 for ours, 2 for theirs."""

    log: MergeLog
    names: Renames
    ours: Renames
    theirs: Renames
    projects: Three
    held: dict[str, int]


def merge(
    base: Project, ours: Project, theirs: Project, choose_theirs: Collection[str] = ()
) -> Merged:
    """Merge what became of `base` on two sides.

    choose_theirs: messages of the conflicts in which theirs is taken, of those in `either`.
    """
    log = MergeLog(theirs=choose_theirs)
    mine, our_names = under_base_names(base, ours)
    yours, their_names = under_base_names(base, theirs)
    names, yours = agreed_names(log, base, (mine, our_names), (yours, their_names))
    work = _Merge(log, names, our_names, their_names, (base, mine, yours), {})
    merged = _merge(work)
    merged = checked(log, *(under(tied(each), names) for each in (merged, mine, yours)))
    try:
        project = read_text(write_text(merged))
    except ProjectError as error:
        log.conflict("project", f"The merged project does not open: {error}")
        project = ours
    return Merged(project, tuple(log.conflicts), tuple(log.remarks), frozenset(log.either))


def _merge(work: _Merge) -> Project:
    log, three = work.log, work.projects
    graph = _graph(work, "", tuple(project.graph for project in three))
    parts = merge_parts(log, work.names, three, partial(_graph, work))
    extra = merge_map(log, ("graph", "extra"), *(project.graph.extra for project in three))
    merged = Project(graph=replace(graph, composites=parts, extra=extra))
    blocks = {path(scope, name) for scope, part in scopes(merged).items() for name in part.nodes}

    def say(path_of_node: str) -> str:
        scope, _, name = path_of_node.rpartition(".")
        here = work.names.parts.get(scope, scope)
        return path(here, work.names.nodes.get(scope, {}).get(name, name))

    return replace(
        merged,
        name=merge_value(log, ("name",), *(project.name for project in three)),
        about=merge_value(log, ("about",), *(project.about for project in three)),
        data=merge_map(log, ("data",), *(project.data for project in three)),
        training=merge_map(log, ("training",), *(project.training for project in three)),
        notes=merge_notes(log, [project.notes for project in three]),
        layout=merge_layout(log, [project.layout for project in three], blocks, work.held, say),
        specialised=merge_value(log, ("specialised",), *(p.specialised for p in three)),
        extra=merge_map(log, ("project", "extra"), *(project.extra for project in three)),
    )


def _graph(work: _Merge, scope: str, three: tuple[Graph, ...]) -> Graph:
    base, ours, theirs = three
    context = MergeContext(
        work.log,
        work.names.parts.get(scope, scope),
        work.names.nodes.get(scope, {}),
        work.ours.nodes.get(scope, {}),
        work.theirs.nodes.get(scope, {}),
        () if scope else work.projects,
    )
    nodes, held = merge_nodes(context, (base, ours, theirs))
    work.held.update({path(scope, name): side for name, side in held.items()})
    edges = merge_wires(context, (base, ours, theirs), nodes, held)
    return Graph(nodes, tuple(edges))
