"""A watched forward with gradients on: values, their autograd facts, and their gradients."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from core.analyse.activations import ActivationRecorder, local_ids
from core.analyse.report import Report
from core.insight.one_sample.wires import parts


@dataclass(frozen=True)
class Autograd:
    """Autograd's facts on a tensor when it is made."""

    requires_grad: bool
    is_leaf: bool
    grad_fn: str


class GradientRecorder(ActivationRecorder):
    """Notes values, how autograd sees them, and the gradients that come back to them.

    A hook on the tensor sees the gradient of the value as it left its node, even where the next
    layer works in place. A node that runs several times keeps its last time. paths: of nodes,
    None for all. owners: by node of the autograd graph, the innermost block that made it.
    """

    def __init__(self, report: Report, paths: frozenset[str] | None = None) -> None:
        super().__init__(local_ids(report.lines), paths)
        self.autograd: dict[str, list[Autograd]] = {}
        self.back: dict[str, dict[int, Tensor]] = {}
        self.order: list[str] = []
        self.edges: dict[str, tuple[Any, int]] = {}
        self.owners: dict[Any, str] = {}

    def out(self, value: Any) -> Any:
        """Leave the node that was entered last, with its value."""
        path = ".".join(self.stack)
        if self.paths is None or path in self.paths:
            self.note(path, value)
        return super().out(value)

    def note(self, path: str, value: Any) -> None:
        """Watch the tensors of a value, before the next layer works on them in place."""
        back = self.back[path] = dict[int, Tensor]()
        self.autograd[path] = [autograd_of(part) for part in parts(value)]
        for number, part in enumerate(parts(value)):
            if isinstance(part, Tensor) and part.requires_grad:
                edge = torch.autograd.graph.get_gradient_edge(part)
                self.edges[path] = (edge.node, edge.output_nr)
                # torch leaves the hook untyped
                part.register_hook(self._hook(path, number, back))  # pyright: ignore[reportUnknownMemberType]
                self._claim(path, part)

    def _hook(self, path: str, number: int, back: dict[int, Tensor]) -> Callable[[Tensor], None]:
        def arrive(gradient: Tensor) -> None:
            if not back and self.back[path] is back:
                self.order.insert(self._place(path), path)
            back[number] = gradient.detach().clone()

        return arrive

    def _place(self, path: str) -> int:
        """Where in the order of the way back: torch calls the hooks of one tensor in the order in
        which they were registered, but of the nodes that hand it on the last comes first."""
        place = len(self.order)
        while place and self.edges[self.order[place - 1]] == self.edges[path]:
            place -= 1
        return place

    def _claim(self, path: str, value: Tensor) -> None:
        """Say of the nodes behind a value that no block has claimed yet: this one made them."""
        left = [torch.autograd.graph.get_gradient_edge(value).node]
        while left:
            node = left.pop()
            if node not in self.owners:
                self.owners[node] = path
                left += [after for after, _ in node.next_functions if after is not None]

    @property
    def gradients(self) -> dict[str, Tensor]:
        """The gradient of each node that one has come to, of its first output."""
        return {path: found[min(found)] for path, found in self.back.items() if found}


def autograd_of(value: Any) -> Autograd:
    """How autograd sees a value."""
    if not isinstance(value, Tensor):
        return Autograd(requires_grad=False, is_leaf=True, grad_fn="")
    name = type(value.grad_fn).__name__ if value.grad_fn is not None else ""
    return Autograd(value.requires_grad, value.is_leaf, name)
