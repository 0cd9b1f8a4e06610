"""Merge of composites: each is a graph with settings."""

from collections.abc import Callable, Mapping

from core.graph import Composite, Graph
from core.project.base_names import Renames, path, scopes
from core.project.graph_json import Json, composite_to_json
from core.project.model import Project
from core.wings.merge.order import order_of
from core.wings.merge.values import MergeLog, merge_map, same

Three = tuple[Project, Project, Project]
MergeGraph = Callable[[str, tuple[Graph, Graph, Graph]], Graph]


def merge_parts(
    log: MergeLog, names: Renames, three: Three, merge: MergeGraph
) -> dict[str, Composite]:
    """Merge the composites, by the names of the base; `merge` merges the graph of one."""
    base, ours, theirs = (project.graph.composites for project in three)
    merged: dict[str, Composite] = {}
    for name in dict.fromkeys((*base, *ours, *theirs)):
        here = names.parts.get(name, name)
        was, mine, yours = base.get(name), ours.get(name), theirs.get(name)
        if was and mine and yours and (was.python or mine.python or yours.python):
            merged[name] = _merge_python(log, (here, name), (was, mine, yours), three)
        elif was and mine and yours:
            graph = merge(name, (was.graph, mine.graph, yours.graph))
            merged[name] = _merge_part(log, here, (was, mine, yours), graph)
        elif was:
            if (mine or yours) and _still_wanted(log, here, three, name) and mine:
                merged[name] = mine
        elif mine and yours:
            merged[name] = mine
            _tell_another(log, here, *(_json(project, name) for project in three[1:]))
        elif added := mine or yours:
            merged[name] = added
    order, _ = order_of(list(base), list(ours), list(theirs), merged)
    return {name: merged[name] for name in order}


def _merge_part(
    log: MergeLog, here: str, three: tuple[Composite, Composite, Composite], graph: Graph
) -> Composite:
    settings = merge_map(log, (here, "settings"), *(part.settings for part in three))
    extra = merge_map(log, (here, "extra"), *(part.extra for part in three))
    return Composite(settings, graph, extra)


def _merge_python(
    log: MergeLog,
    names: tuple[str, str],
    three: tuple[Composite, Composite, Composite],
    projects: Three,
) -> Composite:
    """Take the text that one side changed: lines of two authors together are nobody's code."""
    was, mine, yours = three
    if mine == was:
        return yours
    if yours in (mine, was):
        return mine
    here, name = names
    texts = [_json(project, name) for project in projects]
    message = f"The Python of {here} was changed in ours and in theirs."
    return yours if log.choose(here, message, *texts) else mine


def _json(project: Project, name: str) -> Json | None:
    parts = project.graph.composites
    return composite_to_json(parts[name], parts) if name in parts else None


def _tell_another(log: MergeLog, here: str, ours: Json | None, theirs: Json | None) -> None:
    if not same(ours, theirs):
        message = f"Both add a composite {here}, with different contents."
        log.conflict(here, message, None, ours, theirs)


def _still_wanted(log: MergeLog, here: str, three: Three, name: str) -> bool:
    """Whether one side removed a composite that the other changed or newly uses: a conflict."""
    base, ours, theirs = three
    by_ours = name not in ours.graph.composites
    side = theirs if by_ours else ours
    new = [use for use in _uses(side, name) if use not in set(_uses(base, name))]
    done = [] if same(_json(base, name), _json(side, name)) else ["changes it"]
    done += [f"uses it for {', '.join(new)}"] if new else []
    if done:
        gone, other = ("ours", "theirs") if by_ours else ("theirs", "ours")
        message = f"The composite {here} was removed in {gone}; {other} {' and '.join(done)}."
        log.conflict(here, message, *(_json(project, name) for project in three))
    return bool(done)


def _uses(project: Project, name: str) -> list[str]:
    graphs: Mapping[str, Graph] = scopes(project)
    return [
        path(scope, node)
        for scope, graph in graphs.items()
        for node, used in graph.nodes.items()
        if used.block == name
    ]
