"""The loss of one sample, and its derivative by the value on every wire."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from core.analyse.activations import ActivationRecorder, local_ids, recording_activations
from core.engine.objective import Objective, Values
from core.insight.attribution.subject import differentiable
from core.insight.load_model import Opened
from core.insight.one_sample.values import seeded
from core.insight.one_sample.wires import by_port, parts
from core.tasks.metrics import as_tuple


@dataclass(frozen=True)
class Autograd:
    """What torch says of a tensor where it is made: for the wire's facts."""

    requires_grad: bool
    is_leaf: bool
    grad_fn: str


@dataclass(frozen=True)
class Backward:
    """One forward with gradients on, and the backward of its loss.

    wires, autograd, gradients: by node path, then by port; a wire that leads to several blocks has
    the sum of what comes back from all of them, one that does not require a gradient has none.
    ran: paths in the order in which they ran; order: in which their gradients came. losses: of each
    loss term; loss: their weighted sum, as it is trained, None without targets. weights: the
    gradient of each parameter by name.
    """

    wires: Mapping[str, Mapping[str, Any]]
    autograd: Mapping[str, Mapping[str, Autograd]]
    gradients: Mapping[str, Mapping[str, Tensor]]
    order: tuple[str, ...]
    ran: tuple[str, ...]
    losses: tuple[float, ...]
    loss: Tensor | None
    weights: Mapping[str, Tensor]


class _Recorder(ActivationRecorder):
    """Notes values, how autograd sees them, and the gradients that come back to them."""

    def __init__(self, local: Mapping[int, tuple[str, ...]]) -> None:
        super().__init__(local, None)
        self.autograd: dict[str, list[Autograd]] = {}
        self.back: dict[str, dict[int, Tensor]] = {}
        self.order: list[str] = []

    def out(self, value: Any) -> Any:
        path = ".".join(self.place)
        self.note(path, value)
        return super().out(value)

    def note(self, path: str, value: Any) -> None:
        """Watch the tensors of a value, before the next layer works on them in place.

        A node that runs several times keeps its last time.
        """
        back = self.back[path] = dict[int, Tensor]()
        self.autograd[path] = [autograd_of(part) for part in parts(value)]
        for number, part in enumerate(parts(value)):
            if isinstance(part, Tensor) and part.requires_grad:
                part.register_hook(self._hook(path, number, back))

    def _hook(self, path: str, number: int, back: dict[int, Tensor]) -> Any:
        def arrive(gradient: Tensor) -> None:
            if not back and self.back[path] is back:
                self.order.append(path)
            back[number] = gradient.detach().clone()

        return arrive


def autograd_of(value: Any) -> Autograd:
    """How autograd sees a value."""
    if not isinstance(value, Tensor):
        return Autograd(requires_grad=False, is_leaf=True, grad_fn="")
    name = type(value.grad_fn).__name__ if value.grad_fn is not None else ""
    return Autograd(value.requires_grad, value.is_leaf, name)


def backward(
    network: Opened, inputs: Sequence[Tensor], targets: Values | None, objective: Objective
) -> Backward:
    """Run one sample forward and, where it has targets, back. Parameters keep their `grad`."""
    module, report = network.module, network.report
    look = _Recorder(local_ids(report.lines))
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
        weights = _derived(loss, learned)
    return _told(network, {**given, **look.values}, look, ran, losses, loss, weights)


def _derived(loss: Tensor | None, learned: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """The gradient of each parameter that the loss leads back to, by name."""
    if loss is None or not loss.requires_grad:
        return {}
    found = torch.autograd.grad(loss, list(learned.values()), allow_unused=True)
    return {n: g for n, g in zip(learned, found, strict=True) if g is not None}


def _told(
    network: Opened, values: Mapping[str, Any], look: _Recorder, ran: tuple[str, ...],
    losses: Sequence[Tensor], loss: Tensor | None, weights: Mapping[str, Tensor],
) -> Backward:  # fmt: skip
    nodes = network.report.nodes
    wires = {path: by_port(value, nodes.get(path)) for path, value in values.items()}
    names = {path: list(ports) for path, ports in wires.items()}
    return Backward(
        wires=wires,
        autograd={p: dict(zip(names[p], found, strict=True)) for p, found in look.autograd.items()},
        gradients={
            p: {names[p][k]: g for k, g in sorted(found.items())}
            for p, found in look.back.items()
            if found
        },
        order=tuple(look.order),
        ran=ran,
        losses=tuple(float(value.detach()) for value in losses),
        loss=loss,
        weights=weights,
    )
