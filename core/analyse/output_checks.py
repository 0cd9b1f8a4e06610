"""Warnings about the end of a network: values its last block cannot output, and a loss that needs
another number of outputs."""

from collections.abc import Iterator
from math import inf
from typing import Any

from blocks import has
from core.analyse.report import Finding, Report
from core.common.article import an
from core.common.errors import DataError
from core.data.facts.info import DataInfo, describe, seed_of
from core.data.sources.io_spec import ends
from core.graph import Graph
from core.graph.ending import before
from core.graph.ports import write_edge
from core.project.model import Project
from core.tasks.losses import ONE_OUTPUT, PER_CLASS
from core.tasks.output_range import cut_off
from core.tasks.registry import LOSSES, has_one_class


def bridged(graph: Graph, node: str) -> list[dict[str, Any]]:
    """Edits that remove a node and join its wires."""
    source = graph.into(node)[0]
    begin = (
        source.source
        if source.source_port == "output"
        else (f"{source.source}.{source.source_port}")
    )
    targets = [write_edge(e, graph.nodes, graph.composites) for e in graph.out_of(node)]
    joined = [f"{begin} -> {text.split(' -> ')[1]}" for text in targets]
    return [{"op": "remove", "node": node}, *({"op": "connect", "edge": e} for e in joined)]


def cut_off_outputs(project: Project, report: Report, data: DataInfo | None) -> Iterator[Finding]:
    """An activation right before an Output that leaves out numbers which the targets need."""
    graph = project.graph
    loss = str(project.training.get("loss") or (data.losses[0] if data else ""))
    if len(report.outputs) != 1 or "losses" in project.training:
        return
    node = before(graph, report.outputs[0][0])
    block = graph.nodes[node].block if node else ""
    if not node:
        return
    standardised = bool(data and data.standardised_target)
    cut = cut_off(block, graph.nodes[node].settings, loss, (-inf, inf) if standardised else None)
    if cut is None:
        return
    fix = {"title": f"Remove {node}", "edits": bridged(graph, node)}
    yield Finding(
        node,
        "output_cut_off",
        f"{node} is {an(block)} right before the Output and outputs {cut.values}, but {cut.need}.",
        f"Remove {node}: the network cannot reach targets outside of that range.",
        (fix,),
    )


def loss_of_outputs(project: Project, report: Report, data: DataInfo | None) -> Iterator[Finding]:
    """A loss that reads another number of outputs than the network has."""
    loss, count = project.training.get("loss"), len(report.outputs)
    if data is None or not loss or count != 1 or "losses" in project.training:
        return
    output = report.outputs[0][0]
    try:
        fed, given = ends(report.inputs, report.outputs)
        whole = describe(project.data, fed, given, seed=seed_of(project.training))
    except DataError as error:
        if not has_one_class(data.task):  # else width_of_output names the layer
            yield Finding(output, "outputs_of_data", f"{output}: {error.message}", error.hint)
        return
    if loss in whole.losses or loss not in LOSSES:
        return
    listed = " or ".join(whole.losses[:2])
    classes, head = len(data.classes), before(project.graph, output)
    if ONE_OUTPUT in whole.losses and loss in PER_CLASS:
        linear = has(project.graph.nodes[head].block, "dense")
        edit = {"op": "set", "node": head, "settings": {"out_features": classes}}
        fixes = ({"title": f"Set out_features of {head} to {classes}", "edits": [edit]},) * linear
        yield Finding(
            output,
            "loss_of_output",
            f"{output} has one value per sample, but {loss} needs a score for each of the "
            f"{classes} classes of {data.source}.",
            f"Set {head} to {classes} outputs, or choose {listed}, which needs one.",
            fixes,
        )
        return
    yield Finding(
        output,
        "loss_of_output",
        f"{loss} does not fit {output}, {report.outputs[0][1]}, and the task of {data.source}, "
        f"{whole.task}.",
        f"Choose {listed}.",
    )
