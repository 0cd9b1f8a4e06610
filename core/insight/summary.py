"""The summary: one row per node with shape, parameters and mult-adds, and what memory it takes.

Parameters and the printed sizes follow torchinfo 1.8.0's definitions; multiply-adds are those of
torch's own counter, with torchinfo's figure beside them.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from blocks import Signature, has
from core.analyse.report import NodeReport, Report, activation_bytes, signature_json, size
from core.insight.meta_pass import PassCounts, measure
from core.insight.profiling.saved_for_backward import inside, kept_for_backward


@dataclass(frozen=True)
class SummaryRow:
    """One node. output_shape: of the first output, for the batch; None where the data decides.

    init: its constructor, "" for an expression. children: whether rows below belong to it.
    kept_for_backward_bytes: what autograd keeps of it in training, None where that is not known.
    """

    id: str
    block: str
    depth: int
    output_shape: tuple[int | None, ...]
    params: int
    trainable_params: int
    mult_adds: int
    activation_bytes: int
    torchinfo_mult_adds: int = 0
    init: str = ""
    kept_for_backward_bytes: int | None = None
    children: bool = False


@dataclass(frozen=True)
class SummarySizes:
    """Bytes by torchinfo's definitions, which count leaf modules only.

    forward_backward: outputs of modules with parameters, twice (values and gradients).
    """

    input: int
    forward_backward: int
    params: int

    @property
    def total(self) -> int:
        return self.input + self.forward_backward + self.params


@dataclass(frozen=True)
class Memory:
    """What training keeps in memory, in bytes, for the batch.

    activations: what all blocks put out. kept_for_backward: what autograd keeps of a forward pass,
    which is what a training step needs room for; None where it cannot be told.
    """

    parameters_bytes: int
    gradients_bytes: int
    optimizer_bytes: int
    activations_bytes: int
    kept_for_backward_bytes: int | None = None


@dataclass(frozen=True)
class Summary:
    """All rows and totals for one batch size."""

    name: str
    batch: int
    input: tuple[Mapping[str, Any], ...]
    output_shape: tuple[int | None, ...]
    rows: tuple[SummaryRow, ...]
    total_params: int
    trainable_params: int
    mult_adds: int
    torchinfo_mult_adds: int
    sizes: SummarySizes
    memory: Memory

    @property
    def uncounted(self) -> tuple[str, ...]:
        """Nodes that multiply in a way for which torch's counter has no formula."""
        return tuple(row.id for row in self.rows if has(row.block, "uncounted"))

    def json(self) -> dict[str, Any]:
        """The summary as `layerloom summary --json` prints it."""
        rows = [{**asdict(row), "output_shape": list(row.output_shape)} for row in self.rows]
        return {
            "name": self.name,
            "batch": self.batch,
            "input": [dict(entry) for entry in self.input],
            "output_shape": list(self.output_shape),
            "total_params": self.total_params,
            "trainable_params": self.trainable_params,
            "mult_adds": self.mult_adds,
            "torchinfo_mult_adds": self.torchinfo_mult_adds,
            "uncounted": list(self.uncounted),
            "rows": rows,
            "memory": asdict(self.memory),
            "sizes_bytes": {**asdict(self.sizes), "total": self.sizes.total},
        }


def summary(report: Report, batch: int = 1, training: Mapping[str, Any] | None = None) -> Summary:
    """Sum up a network for a batch. `training` (a project's) names the optimiser, else AdamW.

    Raises ValueError for a report with errors.
    """
    measured = measure(report, batch, training)
    kept = kept_for_backward(report, batch)
    rows = tuple(
        _row(node, batch, measured, report, kept)
        for node in report.nodes.values()
        if not has(node.block, "end")
    )
    inputs = sum(activation_bytes(s) for _, s in report.inputs)
    activations = sum(row.activation_bytes for row in rows if row.depth == 1)
    return Summary(
        name=report.class_name,
        batch=batch,
        input=tuple({"node": n, **signature_json(s)} for n, s in report.inputs),
        output_shape=shape_at(report.outputs[0][1], batch),
        rows=rows,
        total_params=report.total_params,
        trainable_params=report.trainable_params,
        mult_adds=sum(measured.mult_adds.values()),
        torchinfo_mult_adds=sum(measured.torchinfo_mult_adds.values()),
        sizes=SummarySizes(inputs * batch, 2 * measured.outputs_bytes, measured.leaf_bytes),
        memory=Memory(
            measured.parameters_bytes,
            measured.gradients_bytes,
            measured.optimizer_bytes,
            activations,
            None if kept is None else sum(kept.values()),
        ),
    )


def _row(
    node: NodeReport,
    batch: int,
    measured: PassCounts,
    report: Report,
    kept: Mapping[str, int] | None,
) -> SummaryRow:
    first = next(iter(node.outputs.values()), None)
    leaves = [n for n in _below(node, report) if not has(n.block, "end")]
    return SummaryRow(
        id=node.path,
        block=node.block,
        depth=node.depth,
        output_shape=shape_at(first, batch) if first else (),
        params=node.params,
        trainable_params=node.trainable_params,
        mult_adds=inside(measured.mult_adds, node.path),
        torchinfo_mult_adds=inside(measured.torchinfo_mult_adds, node.path),
        activation_bytes=sum(bytes_at(s, batch) for n in leaves for s in n.outputs.values()),
        init=node.init,
        kept_for_backward_bytes=None if kept is None else inside(kept, node.path),
        children=bool(node.children),
    )


def _below(node: NodeReport, report: Report) -> list[NodeReport]:
    """The nodes inside, down to blocks; a block itself."""
    if not node.children:
        return [node]
    return [n for child in node.children for n in _below(report.nodes[child], report)]


def shape_at(signature: Signature, batch: int) -> tuple[int | None, ...]:
    """A signature's shape for a batch; (None, ...) where the data decides."""
    if None in signature.shape:
        return (None,) * signature.rank
    return size(signature, batch)


def bytes_at(signature: Signature, batch: int) -> int:
    """Bytes of a tensor for a batch; 0 where the data decides."""
    one = activation_bytes(signature)
    if not one:
        return 0
    whole, single = 1, 1
    for big, small in zip(size(signature, batch), size(signature), strict=True):
        whole, single = whole * big, single * small
    return one * whole // single
