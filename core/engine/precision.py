"""Calculation of the losses of a batch: precision, memory format, compiled or not.

The module itself stays as it was drawn: validation, live views and replays use it, in 32 bits.
"""

import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
from torch import Tensor, nn

from core.common.device import has
from core.engine.distillation import Teacher
from core.engine.objective import Objective
from core.tasks.metrics import as_tuple

DTYPES = {"bfloat16": torch.bfloat16, "float16": torch.float16}
Computed = tuple[tuple[Tensor, ...], list[Tensor], Tensor]
"""Outputs, every loss, and what they sum up to."""


class Precision:
    """Calculates losses of a module as resolved training settings say.

    scaler: keeps small float16 gradients from becoming zero; None in other precisions.
    """

    def __init__(self, module: nn.Module, training: Mapping[str, Any], objective: Objective):
        self.objective = objective
        self.teacher: Teacher | None = None  # whose answers count in the loss
        self.device = next(module.parameters()).device.type
        self.dtype = DTYPES.get(training["precision"])
        if training["channels_last"] == "on":
            module.to(memory_format=torch.channels_last)
        compiled = training["compile"] == "on"
        self.forward: Callable[..., Any] = (
            torch.compile(module, dynamic=False) if compiled else module
        )
        scaled = self.dtype == torch.float16
        self.scaler = torch.amp.GradScaler(self.device) if scaled else None

    def losses(self, inputs: Sequence[Tensor], targets: Sequence[Tensor]) -> Computed:
        """Outputs and losses of a batch, in float32 where autocast made them shorter."""
        outputs = as_tuple(self.forward(*inputs))
        values = self.objective.values(outputs, targets)
        loss = self.objective.total(values)
        if self.teacher:
            loss = self.teacher.mixed_loss(loss, inputs, outputs)
        if self.dtype is None:
            return outputs, values, loss
        whole = tuple(o.float() if o.is_floating_point() else o for o in outputs)
        return whole, [value.float() for value in values], loss.float()


def determinism_warnings(
    module: nn.Module, training: Mapping[str, Any], device: torch.device
) -> list[str]:
    """Why a run that goes on may differ in the last bits from one that never stopped; [] at best.

    A processor gives the same bits each time. On a GPU sums may be added in another order, and
    cuDNN picks kernels by how fast they were just now.
    """
    if has(device, "host"):
        return []
    warnings = (
        [] if training["deterministic"] else ["the order of sums on a GPU (deterministic is off)"]
    )
    sentence = "the dropout between the layers of {} (cuDNN's random state is not saved)"
    return warnings + [sentence.format(name) for name in dropping_between(module)]


def dropping_between(module: nn.Module) -> list[str]:
    """Recurrent blocks with dropout between their layers.

    cuDNN draws it from a state of its own, in memory that it takes anew whenever a seed or a random
    state was set.
    """
    parts = [(name, p) for name, p in module.named_modules() if isinstance(p, nn.RNNBase)]
    return [name for name, part in parts if part.dropout and part.num_layers > 1]


def release_cache() -> None:
    """Give back memory of a GPU that is only kept for steps to come."""
    if torch.cuda.is_initialized():
        torch.cuda.empty_cache()


def use_deterministic_algorithms(wanted: bool, device: torch.device) -> None:
    """Have this process calculate in ways that give the same bits, or in the fastest ones.

    Before the first use of a GPU, as cuBLAS reads its setting only then.
    """
    if wanted:
        os.environ["CUBLAS_WORKSPACE_CONFIG"] = ":4096:8"
    if wanted != torch.are_deterministic_algorithms_enabled():
        torch.use_deterministic_algorithms(wanted)  # which imports torch's compiler, a second
    if has(device, "searched"):
        torch.backends.cudnn.benchmark = not wanted
