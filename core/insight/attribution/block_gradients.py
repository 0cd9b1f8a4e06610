"""Outputs of every node of a drawing, and the gradient of an output value with respect to them."""

from collections.abc import Callable, Sequence
from typing import Any

from torch import Tensor, nn

from core.analyse.activations import detached_copy, recording_activations
from core.analyse.report import Report
from core.insight.attribution.subject import differentiable, gradients_by
from core.insight.gradient_recorder import GradientRecorder


def block_gradients(
    module: nn.Module,
    report: Report,
    inputs: Sequence[Tensor],
    number: Callable[[Any], Tensor],
    paths: frozenset[str] | None = None,
) -> tuple[dict[str, Any], dict[str, Tensor]]:
    """Values of the nodes for some inputs, and the gradient by them of a number of the output.

    Evaluation mode; the module, its gradients and the random state stay as they are. number: what
    the module returns to a tensor of one element. paths: node paths, None for all.
    """
    look = GradientRecorder(report, paths)
    leaves = [x.detach().clone().requires_grad_(x.is_floating_point()) for x in inputs]
    given = [x.clone() for x in leaves]
    with (
        differentiable(module),
        recording_activations(module, report.source or "", report.lines, paths, look),
    ):
        total = number(module(*given))
        roots = [x for x in leaves if x.requires_grad]
        roots += [p for p in module.parameters() if p.requires_grad]
        grads = gradients_by(total, roots)
    names = [name for name, _ in report.inputs]
    values = {n: detached_copy(x) for n, x in zip(names, leaves, strict=True)} | look.values
    by_leaf = dict(zip(map(id, roots), grads, strict=True))
    gradients = {
        name: grad.detach()
        for name, leaf in zip(names, leaves, strict=True)
        if (grad := by_leaf.get(id(leaf))) is not None
    }
    shown = (paths is None, paths or frozenset[str]())
    keep = {path for path in values if shown[0] or path in shown[1]}
    gradients |= look.gradients
    return (
        {path: value for path, value in values.items() if path in keep},
        {path: grad for path, grad in gradients.items() if path in keep},
    )
