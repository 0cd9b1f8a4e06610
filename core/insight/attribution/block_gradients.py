"""What every node of a drawing put out, and the gradient of a number by it."""

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor, nn

from core.analyse.activations import (
    ActivationRecorder,
    detached_copy,
    local_ids,
    recording_activations,
)
from core.analyse.report import Report
from core.insight.attribution.subject import differentiable
from core.insight.eval_context import first_tensor


class GradientRecorder(ActivationRecorder):
    """Keeps values as `ActivationRecorder` does, and what arrives at them on the way back.

    A hook on the tensor sees the gradient of the value as it left its node, even where the next
    layer works in place. A node that runs several times keeps its last time.
    """

    def __init__(self, report: Report, wanted: frozenset[str] | None) -> None:
        super().__init__(local_ids(report.lines), wanted)
        self._arrived: dict[str, list[Tensor]] = {}

    def out(self, value: Any) -> Any:
        """Leave the node that was entered last, with its value."""
        path = ".".join(self.place)
        if self.wanted is None or path in self.wanted:
            arrived = self._arrived[path] = list[Tensor]()
            tensor = _tensor(value)
            if tensor is not None and tensor.requires_grad:
                tensor.register_hook(lambda grad: arrived.append(grad.detach().clone()))
        return super().out(value)

    @property
    def gradients(self) -> dict[str, Tensor]:
        """The gradient of each node that one has come to, of its first output."""
        return {path: found[0] for path, found in self._arrived.items() if found}


def _tensor(value: Any) -> Tensor | None:
    try:
        return first_tensor(value)
    except TypeError:
        return None


def block_gradients(
    module: nn.Module,
    report: Report,
    inputs: Sequence[Tensor],
    number: Callable[[Any], Tensor],
    wanted: frozenset[str] | None = None,
) -> tuple[dict[str, Any], dict[str, Tensor]]:
    """Values of the nodes for some inputs, and the gradient by them of a number of the output.

    Evaluation mode; the module, its gradients and the random state stay as they are. number: what
    the module returns to a tensor of one element. wanted: node paths, None for all.
    """
    look = GradientRecorder(report, wanted)
    leaves = [x.detach().clone().requires_grad_(x.is_floating_point()) for x in inputs]
    given = [x.clone() for x in leaves]
    with (
        differentiable(module),
        recording_activations(module, report.source or "", report.lines, wanted, look),
    ):
        total = number(module(*given))
        roots = [x for x in leaves if x.requires_grad]
        roots += [p for p in module.parameters() if p.requires_grad]
        found = torch.autograd.grad(total, roots, allow_unused=True)
    names = [name for name, _ in report.inputs]
    values = {n: detached_copy(x) for n, x in zip(names, leaves, strict=True)} | look.values
    by_leaf = dict(zip(map(id, roots), found, strict=True))
    gradients = {
        name: grad.detach()
        for name, leaf in zip(names, leaves, strict=True)
        if (grad := by_leaf.get(id(leaf))) is not None
    }
    shown = (wanted is None, wanted or frozenset[str]())
    keep = {path for path in values if shown[0] or path in shown[1]}
    gradients |= look.gradients
    return (
        {path: value for path, value in values.items() if path in keep},
        {path: grad for path, grad in gradients.items() if path in keep},
    )
