"""Warnings about training: what torch runs without complaint but does not learn well.

Each check is a function of the project and its report; a fix is one undo step.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from blocks import has
from core.analyse.output_checks import bridged, cut_off_outputs, loss_of_outputs
from core.analyse.report import Finding, Report
from core.analyse.structure_checks import (
    AFFINE,
    batch_of_one,
    missing_normalisation,
    overparameterised,
    unused_parts,
)
from core.analyse.trainable import frozen_untrained, values_from_weights
from core.common.article import an
from core.common.errors import DataError
from core.data.facts.info import DataInfo, describe, seed_of
from core.data.sources.io_spec import ends
from core.graph import Graph
from core.graph.ending import before
from core.graph.names import fresh_id
from core.project.model import Project
from core.tasks.losses import CROSS_ENTROPY
from core.tasks.registry import LOSSES, has_one_class

CHANNELS = 1  # the dimension that a softmax runs along where none is set
UNLIKE = 3  # dimensions for which torch takes the first instead

Rule = Callable[[Project, Report, DataInfo | None], Iterator[Finding]]


def training_mistakes(project: Project, report: Report) -> tuple[Finding, ...]:
    """All warnings about training; none for a graph with errors."""
    if not report.ok:
        return ()
    try:
        fed, _ = ends(report.inputs, report.outputs)
        seed = seed_of(project.training)
        data = describe(project.data, fed, seed=seed) if project.data else None
    except DataError:  # the Train page reports what is wrong with the data
        data = None
    return tuple(finding for rule in RULES for finding in rule(project, report, data))


def _loss(project: Project, data: DataInfo | None) -> str:
    return str(project.training.get("loss") or (data.losses[0] if data else CROSS_ENTROPY))


def _insert(graph: Graph, target: str, block: str, settings: Mapping[str, Any]) -> dict[str, Any]:
    name = fresh_id(block.lower(), set(graph.nodes))
    port = graph.into(target)[0].target_port
    return {
        "op": "insert",
        "id": name,
        "block": block,
        "settings": dict(settings),
        "target": target,
        "port": port,
    }


def _activation_of_the_loss(
    project: Project, report: Report, data: DataInfo | None
) -> Iterator[Finding]:
    graph, loss = project.graph, _loss(project, data)
    declared = LOSSES.get(loss)
    for output in graph.of_block("Output"):
        node = before(graph, output)
        block = graph.nodes[node].block if node else ""
        if declared and declared.inside and has(block, declared.inside):
            fix = {"title": f"Remove {node}", "edits": bridged(graph, node)}
            yield Finding(
                node,
                "activation_before_loss",
                f"{node} is {an(block)} right before {loss}, which already includes the "
                f"{declared.inside}.",
                f"Remove {node}: applying it twice slows down training.",
                (fix,),
            )
        needed, settings = (declared.after if declared else None) or ("", {})
        if needed and block != needed and not _over_one_value(graph, report, node):
            insert = _insert(graph, output, needed, settings)
            yield Finding(
                output,
                "activation_missing",
                f"{output} needs a {needed} before it for {loss} but receives {block}.",
                f"Insert {needed}, or choose a loss that includes it.",
                ({"title": f"Insert {needed}", "edits": [insert]},),
            )


def _over_one_value(graph: Graph, report: Report, name: str) -> bool:
    """Whether a node is a softmax along a dimension of size 1, whose result never changes."""
    node = graph.nodes.get(name)
    if node is None or not has(node.block, "softmax") or name not in report.nodes:
        return False
    shape = report.nodes[name].outputs["output"].shape
    dim = node.settings.get("dim")
    if dim is None:  # Softmax2d, or torch's own guess
        dim = 0 if len(shape) == UNLIKE else CHANNELS
    return isinstance(dim, int) and -len(shape) <= dim < len(shape) and shape[dim] == 1


def _constant_softmax(project: Project, report: Report, data: DataInfo | None) -> Iterator[Finding]:
    graph, declared = project.graph, LOSSES.get(_loss(project, data))
    needed, settings = (declared.after if declared else None) or ("Sigmoid", {})
    for name, node in graph.nodes.items():
        if not _over_one_value(graph, report, name):
            continue
        always = 1 if has(node.block, "probabilities") else 0
        edit = {"op": "replace", "node": name, "block": needed, "settings": dict(settings)}
        yield Finding(
            name,
            "constant_softmax",
            f"{name} is {an(node.block)} over one value, so its output is always {always}, "
            "whatever the network learns.",
            f"Replace {name} with {needed}, or give the layer before it an output for each class.",
            ({"title": f"Replace {name} with {needed}", "edits": [edit]},),
        )


def _width_of_the_output(
    project: Project, report: Report, data: DataInfo | None
) -> Iterator[Finding]:
    if data is None or not has_one_class(data.task) or len(report.outputs) != 1:
        return
    output, signature = report.outputs[0]
    classes, wide = len(data.classes), signature.shape[-1] if signature.rank == 2 else None
    if not isinstance(wide, int) or wide == classes or (wide == 1 and classes == 2):
        return
    head = before(project.graph, output)
    edit = {"op": "set", "node": head, "settings": {"out_features": classes}}
    linear = bool(head) and has(project.graph.nodes[head].block, "dense")
    fixes = ({"title": f"Set out_features of {head} to {classes}", "edits": [edit]},) * linear
    yield Finding(
        head or output,
        "width_of_output",
        f"{head or output} outputs {wide} values per sample, "
        f"but {data.source} has {classes} classes.",
        f"Set the last layer to {classes} outputs, one score per class.",
        fixes,
    )


def _no_activation_between(
    project: Project, report: Report, data: DataInfo | None
) -> Iterator[Finding]:
    graph = project.graph
    for name, node in graph.nodes.items():
        source = before(graph, name)
        if not has(node.block, *AFFINE) or not source:
            continue
        first = graph.nodes[source].block
        if not has(first, *AFFINE) or has(first, "transposed"):
            continue
        fix = {"title": "Insert ReLU", "edits": [_insert(graph, name, "ReLU", {})]}
        yield Finding(
            name,
            "no_activation",
            f"{name} follows {source} without an activation in between: together they are "
            f"equivalent "
            f"to one {first}.",
            f"Insert an activation such as ReLU before {name}.",
            (fix,),
        )


RULES: tuple[Rule, ...] = (
    frozen_untrained,
    values_from_weights,
    _constant_softmax,
    _activation_of_the_loss,
    _width_of_the_output,
    loss_of_outputs,
    cut_off_outputs,
    _no_activation_between,
    batch_of_one,
    missing_normalisation,
    unused_parts,
    overparameterised,
)
