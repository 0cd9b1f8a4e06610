"""How each weight learns: frozen ones not at all, others with a factor on the learning rate."""

from collections.abc import Mapping, Sequence
from typing import Any

from torch import nn

from core.source.rates import factor_of

Named = Sequence[tuple[str, nn.Parameter]]


def freeze(module: nn.Module, training: Mapping[str, Any]) -> None:
    """Take frozen weights out of learning: no gradient is computed for them."""
    rates = training.get("rates") or {}
    for name, weight in module.named_parameters():
        if factor_of(name, rates) == 0.0:
            weight.requires_grad_(False)


def trainable_parameters(module: nn.Module, training: Mapping[str, Any]) -> None:
    """Set a module to training; batch norm of frozen parts stays as in evaluation.

    It neither uses nor changes the statistics of the batch, as in PyTorch's own transfer recipes:
    what is frozen then gives the same for the same input. Dropout goes on as drawn.
    """
    module.train()
    rates = training.get("rates") or {}
    for name, part in module.named_modules():
        if getattr(part, "track_running_stats", False) and factor_of(name, rates) == 0.0:
            part.eval()


def param_groups(weights: Named, training: Mapping[str, Any]) -> Any:
    """The weights as an optimiser takes them: as they are, or in groups.

    Groups differ in the factor of their rate, and in whether they decay. The first has the rate
    itself, by which a run is told.
    """
    rates, apart = training.get("rates") or {}, training["decay_of"] != "all"
    factors = {name: factor_of(name, rates) for name, _ in weights}
    if set(factors.values()) <= {1.0}:
        return _decaying([w for _, w in weights], apart)
    found: list[dict[str, Any]] = []
    for factor in dict.fromkeys((1.0, *factors.values())):
        chosen = [weight for name, weight in weights if factors[name] == factor]
        split = _decaying(chosen, apart) if apart else [{"params": chosen}]
        found += [{**group, "lr": factor * training["lr"]} for group in split]
    return found


def _decaying(weights: Sequence[nn.Parameter], apart: bool) -> Any:
    """The weights as they are, or in two groups of which only the first decays."""
    if not apart:
        return list(weights)
    decayed = [w for w in weights if w.ndim > 1]
    free = [w for w in weights if w.ndim <= 1]
    return [{"params": decayed}, {"params": free, "weight_decay": 0.0}]
