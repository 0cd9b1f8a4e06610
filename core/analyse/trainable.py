"""Trainable parameters: frozen blocks, learning-rate factors, and warnings about them."""

from collections.abc import Iterator, Mapping
from dataclasses import replace

from blocks import declaration, of_family
from blocks.initializers import FROM_WEIGHTS
from core.analyse import remedies
from core.analyse.report import Finding, NodeReport, Report
from core.data.facts.info import DataInfo
from core.graph import Graph, Node
from core.project.model import Project
from core.source.rates import RatedPart, rates

Nodes = dict[str, NodeReport]


def without_frozen(nodes: Nodes, parts: list[RatedPart]) -> Nodes:
    """The reports with no trainable parameters for frozen blocks, and sums corrected around
    them."""
    still = {part.path for part in parts if part.factor == 0.0}
    if not still:
        return nodes
    result = dict(nodes)
    for path in sorted(nodes, key=lambda p: -p.count(".")):
        node = nodes[path]
        if path in still:
            result[path] = replace(node, trainable_params=0)
        elif node.children and node.params:
            left = sum(result[child].trainable_params for child in node.children if child in result)
            result[path] = replace(node, trainable_params=left)
    return result


def lr_factors(nodes: Nodes, parts: list[RatedPart]) -> dict[str, float]:
    """Learning-rate factors by module path, for modules with parameters or running statistics."""

    def has_state(node: NodeReport | None) -> bool:
        return node is None or bool(node.params) or _keeps_statistics(node.block)

    return rates([part for part in parts if has_state(nodes.get(part.path))])


def _keeps_statistics(block: str) -> bool:
    return of_family(block, "normalisation") and bool(declaration(block).init)


def frozen_untrained(project: Project, report: Report, data: DataInfo | None) -> Iterator[Finding]:
    """Warn of blocks that are frozen at their random initial weights.

    Those are all frozen ones, or, if a run starts from weights, those that are left out of them.
    """
    frozen = [
        (path, edit | {"op": "learn", "frozen": False})
        for path, edit in _frozen(project.graph)
        if _without_weights(project, path) and _has_parameters(report, path)
    ]
    if not frozen:
        return
    first, names = frozen[0][0], [path for path, _ in frozen]
    who = f"{first} is" if len(names) == 1 else f"{' and '.join(names)} are"
    who = f"{first} and {len(names) - 1} more blocks are" if len(names) > 2 else who
    yield Finding(
        first if first in report.nodes else "",
        "frozen_by_chance",
        f"{who} frozen at random initial weights, so training never improves them.",
        "Start from trained weights on the Train page, or unfreeze them.",
        (remedies.offer("Unfreeze", *(edit for _, edit in frozen)),),
    )


def values_from_weights(
    project: Project, report: Report, data: DataInfo | None
) -> Iterator[Finding]:
    """Warn of buffers that only a weights file can fill, if training does not start from one."""
    unfilled = [
        (path, part | {"op": "set", "settings": {"init": "zeros"}})
        for path, node, part in _all_nodes(project.graph)
        if node.settings.get("init") == FROM_WEIGHTS and _without_weights(project, path)
    ]
    if not unfilled:
        return
    first, others = unfilled[0][0], len(unfilled) - 1
    who = (
        f"{first} takes its values"
        if not others
        else (f"{first} and {others} more block{'s' * (others > 1)} take their values")
    )
    yield Finding(
        first if first in report.nodes else "",
        "values_from_weights",
        f"{who} from a weights file, but training starts without one: they stay zero.",
        "On the Train page, start from the imported weights.",
        (remedies.offer("Keep them zero", *(edit for _, edit in unfilled)),),
    )


def _without_weights(project: Project, path: str) -> bool:
    """Whether a block starts at random: no weights are loaded, or it is left out of them."""
    start = project.training.get("start_from") or {}
    left = start.get("leave_out", ()) if isinstance(start, Mapping) else ()
    return not start or (isinstance(left, list | tuple) and path in left)


def _has_parameters(report: Report, path: str) -> bool:
    """Whether a block has parameters; one inside a composite is assumed to."""
    node = report.nodes.get(path)
    return node is None or node.params > 0


def _frozen(graph: Graph) -> Iterator[tuple[str, dict[str, str]]]:
    """Paths of frozen nodes, each with the part of an edit that names it."""
    yield from ((path, part) for path, node, part in _all_nodes(graph) if node.frozen)


def _all_nodes(graph: Graph) -> Iterator[tuple[str, Node, dict[str, str]]]:
    """All nodes, those of a composite once: path, node, and the part of an edit that names it."""
    for name, node in graph.nodes.items():
        yield name, node, {"node": name}
    for part, composite in graph.composites.items():
        for name, node in composite.graph.nodes.items():
            yield f"{part}.{name}", node, {"node": name, "composite": part}
