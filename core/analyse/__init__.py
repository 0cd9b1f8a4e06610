"""analyse: one call from a graph to shapes, costs, errors with fixes, and the source."""

import sys
from collections.abc import Iterator
from dataclasses import replace
from types import ModuleType

from core.analyse import limits, sharing, whole
from core.analyse.build import build
from core.analyse.frame import Findings, Frame
from core.analyse.in_place import in_place
from core.analyse.learning import held, rates_of
from core.analyse.mistakes import mistakes
from core.analyse.oversights import specialised
from core.analyse.report import Finding, NodeReport, Report, report_json, size
from core.analyse.shape_prop import walk
from core.graph import Graph
from core.graph.ports import write_edge
from core.project.model import Project
from core.source import rates as learns
from core.source.model import class_name_of, write_model
from core.source.scope import Value

__all__ = [
    "Finding",
    "NodeReport",
    "Report",
    "analyse",
    "analyse_project",
    "build",
    "report_json",
    "size",
]


def analyse(graph: Graph, name: str = "Network") -> Report:
    """Run every node's own statements on the meta device and say what came out.

    Never raises for a mistake in the drawing: faults are findings, what they do not touch keeps
    its shapes. `name` becomes the class name and the first line of the source.
    """
    found = Findings()
    frame = Frame(graph, graph.composites, found)
    if not limits.fits(frame):
        return _refused(found, class_name_of(name))
    scope = walk(frame)
    whole.ends(frame)
    sharing.shared(frame, scope)
    in_place(frame, scope)
    whole.dead_ends(frame)
    limits.weigh(frame)
    parts = learns.parts(graph, scope) if learns.marked(graph) else []
    nodes = held(found.nodes, parts)
    order = list(_in_order(graph, nodes))
    class_name = class_name_of(name, [n for n, c in graph.composites.items() if c.python])
    text = None if found.errors else write_model(scope, class_name, name)
    return Report(
        ok=not found.errors,
        nodes={path: nodes[path] for path in order},
        errors=tuple(found.errors),
        warnings=tuple(found.warnings),
        wires={
            write_edge(edge, graph.nodes, graph.composites): signature
            for edge in graph.edges
            if (signature := frame.values.get(Value(edge.source, edge.source_port)))
        },
        inputs=scope.inputs,
        outputs=tuple((n, frame.values[v]) for n, v in scope.results if v in frame.values),
        class_name=class_name,
        source=text.text if text else None,
        lines=text.lines if text else {},
        rates=rates_of(nodes, parts),
    )


def _refused(found: Findings, class_name: str) -> Report:
    return Report(False, {}, tuple(found.errors), (), {}, (), (), class_name)


def analyse_project(project: Project) -> Report:
    """Analyse a project's graph under its name, and warn of what its training would not learn."""
    report = analyse(project.graph, project.name)
    further = (*specialised(project), *mistakes(project, report))
    return replace(report, warnings=(*report.warnings, *further))


def _in_order(graph: Graph, nodes: dict[str, NodeReport]) -> Iterator[str]:
    """Paths in file order, what is inside a composite right behind it."""

    def inside(path: str) -> Iterator[str]:
        if path in nodes:
            yield path
            for child in nodes[path].children:
                yield from inside(child)

    for name in graph.nodes:
        yield from inside(name)


class _Door(ModuleType):
    """Lets `core.analyse(graph)` be called, although `core.analyse` is this package as well."""

    def __call__(self, graph: Graph, name: str = "Network") -> Report:
        return analyse(graph, name)


sys.modules[__name__].__class__ = _Door
