"""Extract a part of a network as a network of its own, with its weights."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from torch import Tensor

from blocks import has
from core.analyse.report import Report
from core.analyse.settings import evaluate_settings
from core.engine.weights_file import write_weights
from core.graph import Graph, GraphError
from core.graph.part import GraphPart, Wires, part_of
from core.insight.load_model import NotReady, OpenedNetwork, open_untrained
from core.project import Project
from core.source.paths import node_paths


@dataclass(frozen=True, eq=False)
class ExtractedPart:
    """A part that is built. within: the path of the composite that it is from, with its dot.

    state: its weights. keys: for each of them its key in the whole.
    """

    opened: OpenedNetwork
    part: GraphPart
    within: str
    keys: Mapping[str, str]

    @property
    def state(self) -> dict[str, Tensor]:
        """Its weights and statistics, under the keys of its own source."""
        return dict(self.opened.module.state_dict())


def take(whole: OpenedNetwork, chosen: Collection[str], within: str = "") -> ExtractedPart:
    """Cut blocks out and build them. chosen: ids in the graph that is open at `within`.

    Raises NotReady with the reason where they are no part of their own.
    """
    graph = inside(whole.project.graph, whole.report, within)
    ids = [name for name in graph.nodes if name in chosen]
    if lost := sorted(set(chosen) - set(ids)):
        raise NotReady(f"{lost[0]} cannot run here.", "Fix its error first.")
    try:
        part = part_of(graph, ids, signatures(whole.report, graph, within))
    except GraphError as error:
        raise NotReady(f"{error.node} {error.message}", error.hint) from error
    opened = open_untrained(_project(whole, part, ids, (within, graph)))
    keys = _keys(whole, opened, within)
    held = whole.module.state_dict()
    opened.module.load_state_dict({own: held[there] for own, there in keys.items()})
    return ExtractedPart(replace(opened, title=opened.project.name), part, within, keys)


def inside(graph: Graph, report: Report, within: str) -> Graph:
    """The graph that is open at a path, with its settings as they are in that use.

    Raises NotReady for what is no drawn composite.
    """
    for name in (name for name in within.split(".") if name and not name.isdecimal()):
        block = graph.nodes[name].block if name in graph.nodes else ""
        owner = graph.nodes[name].weights_of if name in graph.nodes else ""
        block = block or (graph.nodes[owner].block if owner in graph.nodes else "")
        if block not in graph.composites or graph.composites[block].python:
            raise NotReady(
                f"{name} is not a drawn composite: it has no parts.", "Select all of it."
            )
        graph = replace(graph.composites[block].graph, composites=graph.composites)
    if not within:
        return graph
    env = report.nodes[within.rstrip(".")].settings
    nodes = {
        name: replace(node, settings=evaluate_settings(node.settings, env))
        for name, node in graph.nodes.items()
    }
    return replace(graph, nodes=nodes)


def signatures(report: Report, graph: Graph, within: str = "") -> Wires:
    """What leaves each node of a graph that is open at a path."""
    found = {
        name: report.nodes[within + name] for name in graph.nodes if within + name in report.nodes
    }
    return {(name, port): s for name, node in found.items() for port, s in node.outputs.items()}


def _project(
    whole: OpenedNetwork, part: GraphPart, ids: list[str], at: tuple[str, Graph]
) -> Project:
    """The drawing of a part. It keeps data and settings where it begins and ends as the whole."""
    project, (within, graph) = whole.project, at
    ids = [name for name in ids if not has(part.graph.nodes[name].block, "end")]
    alone = ids[0] if len(ids) == 1 else f"{ids[0]} to {ids[-1]}"
    ends = [name for name, _ in (*whole.report.inputs, *whole.report.outputs)]
    same = not within and ends == [*(e.id for e in part.entries), *(e.id for e in part.leaves)]
    prefix = _composite(whole, within)
    layout = {
        name[len(prefix) :]: place
        for name, place in project.layout.items()
        if name.startswith(prefix)
    }
    return Project(
        f"{project.name or 'Network'}: {within}{alone}",
        f"A part of {project.name or 'a network'}, with the weights it had there.",
        part.graph,
        project.data if same else {},
        project.training if same else {},
        layout=_places(layout, part, graph),
        specialised=project.specialised,
    )


def _composite(whole: OpenedNetwork, within: str) -> str:
    """What the layout calls the graph at a path: nodes of a composite are NAME.node there."""
    return f"{whole.report.nodes[within.rstrip('.')].block}." if within else ""


def _places(
    layout: Mapping[str, tuple[float, float]], part: GraphPart, graph: Graph
) -> dict[str, tuple[float, float]]:
    """Blocks where they were, Outputs where the blocks stood that read them.

    None at all where one has no place: it is laid out anew then.
    """
    found = {name: layout[name] for name in part.graph.nodes if name in layout}
    for end in part.leaves:
        readers = [e.target for e in graph.out_of(end.source) if e.source_port == end.port]
        free = [layout[name] for name in readers if name in layout and name not in found]
        if end.id not in found and free and free[0] not in found.values():
            found[end.id] = free[0]
    return found if set(part.graph.nodes) <= set(found) else {}


def _keys(whole: OpenedNetwork, opened: OpenedNetwork, within: str) -> dict[str, str]:
    """The key in the whole of each weight of a part, over the nodes that both are of."""
    there = {"": "", **{node: own for own, node in _paths(whole).items()}}
    nodes = {"": "", **_paths(opened)}
    within = _owner(whole.project.graph, within)
    keys: dict[str, str] = {}
    for key in opened.module.state_dict():
        owner, _, name = key.rpartition(".")
        place = there[f"{within}{nodes[owner]}".rstrip(".")]
        keys[key] = f"{place}.{name}" if place else name
    return keys


def _owner(graph: Graph, within: str) -> str:
    """The path of the use whose weights a use has: its own, or that of the node it shares with."""
    found = ""
    for name in within.split(".")[:-1]:
        node = graph.nodes.get(name)
        if node is None:  # the number of a repetition
            found += f"{name}."
            continue
        found += f"{node.weights_of or name}."
        block = graph.nodes[node.weights_of].block if node.weights_of else node.block
        graph = replace(graph.composites[block].graph, composites=graph.composites)
    return found


def _paths(opened: OpenedNetwork) -> dict[str, str]:
    return node_paths(opened.module, opened.report.lines)


def keep_weights(taken: ExtractedPart, path: Path) -> None:
    """Write the weights as safetensors; keys of the whole, where they differ, are in its header.

    Raises OSError.
    """
    renamed = {own: there for own, there in taken.keys.items() if own != there}
    write_weights(path, taken.state, renamed)
