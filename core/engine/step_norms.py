"""What one training step did to each weight: norms of the weight, its gradient and its update."""

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from core.runs.jsonl import number


@dataclass(frozen=True)
class StepNorms:
    """step: its number. names: of the parameters that learn. values: (parameters, 3)."""

    step: int
    names: tuple[str, ...]
    values: Tensor

    def plain(self) -> dict[str, list[float | None]]:
        """[weight, gradient, update] of each parameter; None for what is no finite number."""
        rows = self.values.tolist()
        return {name: [number(v) for v in row] for name, row in zip(self.names, rows, strict=True)}


def copied(module: nn.Module) -> list[Tensor]:
    """The weights that learn, before a step."""
    return [weight.detach().clone() for weight in module.parameters() if weight.requires_grad]


def step_norms(module: nn.Module, before: list[Tensor], step: int) -> StepNorms:
    """L2 norms after a step, of the gradient that the optimiser saw: clipped, where it is clipped.

    before: what `copied` gave. A weight without a gradient has the norm nan there.
    """
    named = [(name, w) for name, w in module.named_parameters() if w.requires_grad]
    rows: list[Tensor] = []
    for (_, weight), old in zip(named, before, strict=True):
        gradient = torch.full_like(old, torch.nan) if weight.grad is None else weight.grad.detach()
        norms = [torch.linalg.vector_norm(v) for v in (old, gradient, weight.detach() - old)]
        rows.append(torch.stack([norm.float() for norm in norms]))
    return StepNorms(step, tuple(name for name, _ in named), torch.stack(rows))


def gradient_norm(module: nn.Module) -> Tensor | None:
    """The L2 norm of all gradients of a module, (); None where it has none."""
    gradients = [weight.grad for weight in module.parameters() if weight.grad is not None]
    if not gradients:
        return None
    return torch.stack([gradient.detach().norm() for gradient in gradients]).norm()
