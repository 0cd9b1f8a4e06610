"""Looking at a network in training: feature maps by hooks, their health, a loss per sample."""

from collections.abc import Collection, Sequence
from copy import copy
from typing import Any

import torch
from torch import Tensor, nn

from core.engine.objective import LossTerm
from core.engine.rng import fork_rng
from core.runs.jsonl import number


def feature_maps(
    module: nn.Module, inputs: Sequence[Tensor], only: Collection[str] | None = None
) -> dict[str, Tensor]:
    """Output of every submodule for these inputs, by path, caught by forward hooks.

    only: paths of the submodules to watch, None for all.
    """
    maps: dict[str, Tensor] = {}

    def catch(name: str) -> Any:
        def hook(_module: nn.Module, _inputs: Any, output: Any) -> None:
            while isinstance(output, tuple | list) and output:
                output = output[0]
            if isinstance(output, Tensor):
                maps[name] = output.detach().clone()  # in-place layers write over it later

        return hook

    parts = [(n, m) for n, m in module.named_modules() if n and (only is None or n in only)]
    hooks = [part.register_forward_hook(catch(name)) for name, part in parts]
    hooks += [  # a list is not called: what comes out of it is what its last layer gives
        list(part)[-1].register_forward_hook(catch(name))
        for name, part in parts
        if isinstance(part, nn.ModuleList) and len(part)
    ]
    try:
        with fork_rng(module):
            module(*inputs)
    finally:
        for hook in hooks:
            hook.remove()
    return maps


def activation_health(value: Tensor) -> dict[str, Any]:
    """Mean, spread, zeros and dead channels of one feature map (N, C, ...)."""
    value = value.float()
    finite = bool(torch.isfinite(value).all())
    rows = value.transpose(0, 1).reshape(value.shape[1], -1) if value.ndim > 1 else value[None]
    return {
        "mean": number(float(value.mean())),
        "std": number(float(value.std(correction=0))),
        "zeros": number(float((value == 0).float().mean())),
        "dead": number(float((rows == 0).all(dim=1).float().mean())),
        "finite": finite,
    }


def losses_per_sample(aim: LossTerm, outputs: Sequence[Tensor], target: Tensor | None) -> Tensor:
    """What each sample adds to a loss, (N,), by the loss itself.

    outputs: those that it reads. Of texts it is the mean over the places that
    count, of classes of pixels over the pixels that do, of sequences over their length.
    """
    criterion: Any = copy(aim.criterion)
    criterion.reduction = "none"
    if aim.constant is not None:
        target = torch.full_like(outputs[0], aim.constant)
    if target is None:
        return criterion(*outputs)
    if aim.declared.per_position:
        losses = criterion(outputs[0].transpose(1, 2), target)
        return losses.sum(dim=1) / (target >= 0).sum(dim=1).clamp_min(1)
    if aim.declared.class_at_pixel:
        losses, known = criterion(outputs[0], target).flatten(1), (target >= 0).flatten(1)
        return losses.sum(dim=1) / known.sum(dim=1).clamp_min(1)
    if aim.declared.reads_lengths:
        return criterion(*aim.arguments(outputs, target)) / (target > 0).sum(dim=1)
    return criterion(*aim.arguments(outputs, target)).reshape(len(target), -1).mean(dim=1)
