"""Warnings about the end of a network: values its last block cannot output, and a loss that needs
another number of outputs."""

import math
from collections.abc import Iterator
from typing import Any

from blocks import declaration, has
from core.analyse.report import Finding, Report
from core.article import an
from core.data.facts.info import DataInfo, describe, seed_of
from core.data.sources.io_spec import ends
from core.errors import DataError
from core.graph import Graph
from core.graph.ports import write_edge
from core.project.model import Project
from core.tasks.losses import ERRORS, ONE_OUTPUT, PER_CLASS
from core.tasks.registry import LOSSES, has_one_class, has_trait

UNCHANGED = ("reshapes", "dropout", "identity")
"""Traits of blocks that change no values."""


def before(graph: Graph, node: str) -> str:
    """The node behind the first input, past blocks that change no values; "" if there is none."""
    wires = graph.into(node)
    while wires and has(graph.nodes[wires[0].source].block, *UNCHANGED):
        wires = graph.into(wires[0].source)
    return wires[0].source if wires else ""


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
    declared = LOSSES.get(loss)
    span = declaration(block).span
    if span is None or (declared and declared.inside and has(block, declared.inside)):
        return
    low, high = span
    if has_trait(loss, "scores"):
        need = f"{loss} needs scores, which can be any number"
    elif loss in ERRORS and data and data.standardised_target:
        need = "the targets are standardised, so they can be negative or above 1"
    else:
        return
    fix = {"title": f"Remove {node}", "edits": bridged(graph, node)}
    yield Finding(
        node,
        "output_cut_off",
        f"{node} is {an(block)} right before the Output and outputs {_span(low, high)}, but "
        f"{need}.",
        f"Remove {node}: the network cannot reach targets outside of that range.",
        (fix,),
    )


def _span(low: float, high: float) -> str:
    if math.isinf(high):
        return f"only values of {low:g} or more"
    if math.isinf(low):
        return f"only values up to {high:g}"
    return f"only values from {low:g} to {high:g}"


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
