"""Parameter groups: frozen weights, and factors on the learning rate."""

from collections.abc import Mapping
from typing import Any

from torch import nn

from core.source.rates import factor_of


def freeze(module: nn.Module, training: Mapping[str, Any]) -> None:
    """Take frozen weights out of learning: no gradient is computed for them."""
    rates = training.get("rates") or {}
    for name, weight in module.named_parameters():
        if factor_of(name, rates) == 0.0:
            weight.requires_grad_(False)


def trainable_parameters(module: nn.Module, training: Mapping[str, Any]) -> None:
    """Set a module to training; batch norm and spectral norm of frozen parts stay as in evaluation.

    They neither use nor change the statistics of the batch and of the weight, as in PyTorch's own
    transfer recipes: what is frozen then gives the same for the same input. Dropout goes on as
    drawn.
    """
    module.train()
    rates = training.get("rates") or {}
    for name, part in module.named_modules():
        keeps = getattr(part, "track_running_stats", hasattr(part, "n_power_iterations"))
        if keeps and factor_of(name, rates) == 0.0:
            part.eval()


def param_groups(
    weights: dict[str, nn.Parameter],
    lr: float,
    factors: dict[str, float],
    decay_all: bool,
) -> list[dict[str, object]]:
    """Groups of an optimiser: one learning rate each, what does not decay apart.

    factors: of the learning rate by path in the module, for all that is inside.
    """
    by_factor: dict[float, list[nn.Parameter]] = {1.0: []}  # the rate itself first
    for name, weight in weights.items():
        path = name
        while path and path not in factors:
            path = path.rpartition(".")[0]
        by_factor.setdefault(factors.get(path, 1.0), []).append(weight)
    groups: list[dict[str, object]] = []
    for factor, group in by_factor.items():
        decayed = [weight for weight in group if decay_all or weight.ndim > 1]
        groups.append({"params": decayed, "lr": factor * lr})
        if not decay_all:
            free = [weight for weight in group if weight.ndim <= 1]
            groups.append({"params": free, "lr": factor * lr, "weight_decay": 0.0})
    return groups
