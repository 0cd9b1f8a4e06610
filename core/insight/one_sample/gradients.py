"""The loss of one sample, and its derivative by the value on every wire."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from torch import Tensor

from core.analyse.activations import recording_activations
from core.engine.objective import Objective, Values
from core.insight.attribution.subject import differentiable, gradients_by
from core.insight.gradient_recorder import Autograd, GradientRecorder, autograd_of
from core.insight.load_model import OpenedNetwork
from core.insight.one_sample.autograd_graph import AutogradGraph, graph_of
from core.insight.one_sample.values import seeded
from core.insight.one_sample.wires import by_port
from core.tasks.metrics import as_tuple


@dataclass(frozen=True)
class Backward:
    """One forward with gradients on, and the backward of its loss.

    wires, autograd, gradients: by node path, then by port; a wire that leads to several blocks has
    the sum of what comes back from all of them, one that does not require a gradient has none.
    ran: paths in the order in which they ran; order: in which their gradients came. losses: of each
    loss term; loss: their weighted sum, as it is trained, None without targets. weights: the
    gradient of each parameter by name. graph: the autograd graph of the loss, of the Outputs where
    there is none.
    """

    wires: Mapping[str, Mapping[str, Any]]
    autograd: Mapping[str, Mapping[str, Autograd]]
    gradients: Mapping[str, Mapping[str, Tensor]]
    order: tuple[str, ...]
    ran: tuple[str, ...]
    losses: tuple[float, ...]
    loss: Tensor | None
    weights: Mapping[str, Tensor]
    graph: AutogradGraph


def backward(
    network: OpenedNetwork, inputs: Sequence[Tensor], targets: Values | None, objective: Objective
) -> Backward:
    """Run one sample forward and, where it has targets, back. Parameters keep their `grad`."""
    module, report = network.module, network.report
    inputs = [x.clone() for x in inputs]  # a view of the data set would count as keeping all of it
    targets = None if targets is None else tuple(y.clone() for y in targets)
    look = GradientRecorder(report)
    learned = {name: p for name, p in module.named_parameters() if p.requires_grad}
    with seeded(network), differentiable(module):
        with recording_activations(module, report.source or "", report.lines, look=look):
            outputs = as_tuple(module(*inputs))
        given = dict(zip((name for name, _ in report.inputs), inputs, strict=True))
        for name, value in given.items():
            look.autograd[name] = [autograd_of(value)]
        for (name, _), value in zip(report.outputs, outputs, strict=True):
            look.note(name, value)
            given[name] = value.detach().clone()
        ran = tuple(look.values)
        losses = [] if targets is None else objective.values(outputs, targets)
        loss = objective.total(losses) if losses else None
        graph = graph_of(
            outputs if loss is None else (loss,), look.owners, dict(module.named_parameters())
        )
        weights = _derived(loss, learned)
    values = {**given, **look.values}
    return _as_backward(network, values, look, ran, (losses, loss, weights, graph))


def _derived(loss: Tensor | None, learned: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """The gradient of each parameter that the loss leads back to, by name."""
    if loss is None or not loss.requires_grad:
        return {}
    found = gradients_by(loss, list(learned.values()))
    return {n: g for n, g in zip(learned, found, strict=True) if g is not None}


def _as_backward(
    network: OpenedNetwork,
    values: Mapping[str, Any],
    look: GradientRecorder,
    ran: tuple[str, ...],
    results: tuple[Sequence[Tensor], Tensor | None, Mapping[str, Tensor], AutogradGraph],
) -> Backward:
    nodes, (losses, loss, weights, graph) = network.report.nodes, results
    wires = {path: by_port(value, nodes.get(path)) for path, value in values.items()}
    names = {path: list(ports) for path, ports in wires.items()}
    return Backward(
        wires=wires,
        autograd={p: dict(zip(names[p], seen, strict=True)) for p, seen in look.autograd.items()},
        gradients={
            p: {names[p][k]: g for k, g in sorted(back.items())}
            for p, back in look.back.items()
            if back
        },
        order=tuple(look.order),
        ran=ran,
        losses=tuple(float(value.detach()) for value in losses),
        loss=loss,
        weights=weights,
        graph=graph,
    )
