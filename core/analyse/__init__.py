"""Static analysis: from a graph to shapes, costs, findings with fixes, and the source."""

import sys
from collections.abc import Iterator
from dataclasses import replace
from types import ModuleType

from core.analyse import graph_checks, limits, weight_sharing
from core.analyse.build import build
from core.analyse.frame import Findings, Frame
from core.analyse.in_place import check_in_place
from core.analyse.report import Finding, NodeReport, Report, report_json, size
from core.analyse.shape_prop import propagate
from core.analyse.structure_checks import specialised
from core.analyse.trainable import lr_factors, without_frozen
from core.analyse.training_checks import training_mistakes
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
    """Run every node's own statements on the meta device, and report the results.

    Never raises for a mistake in the drawing: it becomes a finding, and what does not depend on it
    keeps its shapes. `name` becomes the class name and the first line of the source.
    """
    findings = Findings()
    frame = Frame(graph, graph.composites, findings)
    if not limits.check_node_count(frame):
        return _refused(findings, class_name_of(name))
    scope = propagate(frame)
    graph_checks.check_ends(frame)
    weight_sharing.check_weight_sharing(frame, scope)
    check_in_place(frame, scope)
    graph_checks.warn_unused_results(frame)
    limits.check_parameter_memory(frame)
    parts = learns.parts(graph, scope) if learns.marked(graph) else []
    nodes = without_frozen(findings.nodes, parts)
    order = list(_in_order(graph, nodes))
    class_name = class_name_of(name, [n for n, c in graph.composites.items() if c.python])
    text = None if findings.errors else write_model(scope, class_name, name)
    return Report(
        ok=not findings.errors,
        nodes={path: nodes[path] for path in order},
        errors=tuple(findings.errors),
        warnings=(*findings.warnings, *graph_checks.warn_of_decisions(graph)),
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
        rates=lr_factors(nodes, parts),
    )


def _refused(findings: Findings, class_name: str) -> Report:
    return Report(False, {}, tuple(findings.errors), (), {}, (), (), class_name)


def analyse_project(project: Project) -> Report:
    """Analyse a project's graph under its name, with warnings about its training."""
    report = analyse(project.graph, project.name)
    further = (*specialised(project), *training_mistakes(project, report))
    return replace(report, warnings=(*report.warnings, *further))


def _in_order(graph: Graph, nodes: dict[str, NodeReport]) -> Iterator[str]:
    """Node paths in file order, those inside a composite right after it."""

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
