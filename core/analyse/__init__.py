"""analyse: one call from a graph to shapes, costs, errors with fixes, and the source."""

import sys
from collections.abc import Iterator
from types import ModuleType

from core.analyse import fixes
from core.analyse.build import build
from core.analyse.report import Finding, NodeReport, Report, report_json, size
from core.analyse.walk import Findings, Frame, walk
from core.graph import Graph
from core.graph.ports import write_edge
from core.project.model import Project
from core.source.model import class_name_of, write_model
from core.source.scope import Scope, Use, Value

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
    scope = walk(frame)
    _ends(frame)
    _shared(frame, scope)
    _dead_ends(frame)
    order = list(_in_order(graph, found.nodes))
    class_name = class_name_of(name)
    text = None if found.errors else write_model(scope, class_name, name)
    return Report(
        ok=not found.errors,
        nodes={path: found.nodes[path] for path in order},
        errors=tuple(found.errors),
        warnings=tuple(found.warnings),
        wires={
            write_edge(e, graph.nodes, graph.composites): frame.values[
                Value(e.source, e.source_port)
            ]
            for e in graph.edges
            if Value(e.source, e.source_port) in frame.values
        },
        inputs=scope.inputs,
        outputs=tuple((n, frame.values[v]) for n, v in scope.results if v in frame.values),
        class_name=class_name,
        source=text.text if text else None,
        lines=text.lines if text else {},
    )


def analyse_project(project: Project) -> Report:
    """Analyse a project's graph under the project's name."""
    return analyse(project.graph, project.name)


def _ends(frame: Frame) -> None:
    graph = frame.graph
    if not graph.of_block("Input"):
        frame.add(
            "", "no_input", "The network has no Input: no data can enter.",
            "Add an Input block and set the shape of one sample.", fixes.start_of_graph(graph),
        )  # fmt: skip
    if not graph.of_block("Output"):
        frame.add(
            "", "no_output", "The network has no Output: it returns nothing.",
            "Add an Output block behind the last layer.", fixes.end_of_graph(graph),
        )  # fmt: skip


def _shared(frame: Frame, scope: Scope) -> None:
    """Weights can be shared only with a node of the same block that sees the same sizes."""
    uses = {use.id: use for use in scope.uses}
    for use in scope.uses:
        owner = uses.get(use.owner)
        if use.owner == use.id or (owner and _same_weights(use, owner)):
            continue
        why = (
            f"has {use.settings[0]} while {use.owner} has {owner.settings[0]}"
            if owner
            else "is no layer that owns weights here"
        )
        frame.add(
            use.id, "weights_of",
            f"{frame.path(use.id)} shares the weights of {use.owner}, but {use.owner} {why}."
            if not owner else f"{frame.path(use.id)} shares the weights of {use.owner}, but {why}.",
            "Feed both the same number of channels or features, or give it weights of its own.",
        )  # fmt: skip


def _same_weights(use: Use, owner: Use) -> bool:
    module = owner.block is None or bool(owner.block.init)
    return module and use.name == owner.name and use.settings == owner.settings


def _dead_ends(frame: Frame) -> None:
    """Warn of nodes whose result nobody uses."""
    graph = frame.graph
    for name, node in graph.nodes.items():
        if (
            node.block == "Output"
            or graph.out_of(name)
            or frame.path(name) not in frame.found.nodes
        ):
            continue
        remove = {"title": f"Remove {name}", "edits": [{"op": "remove", "node": name}]}
        frame.found.warnings.append(
            Finding(
                name,
                "unused_result",
                f"{name} leads nowhere: nobody uses its result.",
                "Wire it to another block or to an Output, or remove it.",
                (remove,),
            )
        )


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
