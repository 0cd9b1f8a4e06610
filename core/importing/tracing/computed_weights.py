"""Layers whose weights are computed before each call: parametrizations, weight norm, pruning masks.

Most are drawn with the steps that compute them. Weight norm, which torch computes by a function
without a block, is drawn as a plain layer with its current weights.
"""

import copy
from collections.abc import Iterator
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.utils import parametrizations, parametrize, prune

HOOKS = {
    "WeightNorm": lambda layer, name: nn.utils.remove_weight_norm(layer, name),
    "SpectralNorm": lambda layer, name: nn.utils.remove_spectral_norm(layer, name),
}
"""Older ways to compute a weight, by the class of their hook, and how each is undone."""


def computed_names(layer: nn.Module) -> dict[str, str]:
    """Names of the weights that a layer computes before each call, with what computes them."""
    result = {_name(hook): type(hook).__name__ for hook in _hooks(layer)}
    if parametrize.is_parametrized(layer):
        for name, steps in layer.parametrizations.items():  # type: ignore[union-attr]
            result[name] = ", ".join(type(step).__name__.strip("_") for step in steps)
    return result


def _hooks(layer: nn.Module) -> Iterator[Any]:
    for hook in layer._forward_pre_hooks.values():
        if type(hook).__name__ in HOOKS or isinstance(hook, prune.BasePruningMethod):
            yield hook


def _name(hook: Any) -> str:
    return str(hook._tensor_name if isinstance(hook, prune.BasePruningMethod) else hook.name)


def layers_with_computed_weights(module: nn.Module) -> list[tuple[str, nn.Module]]:
    """Layers of a model that compute weights, with their paths."""
    return [(path, part) for path, part in module.named_modules() if computed_names(part)]


def effective_weights(module: nn.Module) -> dict[str, Tensor]:
    """The current values of computed weights in eval mode, by path."""
    result: dict[str, Tensor] = {}
    for path, layer in layers_with_computed_weights(module):
        modes = {name: part.training for name, part in layer.named_modules()}
        layer.eval()
        with torch.no_grad():
            for hook in _hooks(layer):
                hook(layer, ())
            for name in computed_names(layer):
                result[f"{path}.{name}" if path else name] = getattr(layer, name).detach().clone()
        for name, part in layer.named_modules():
            part.training = modes[name]
    return result


def with_plain_weights(module: nn.Module, every: bool) -> tuple[nn.Module, tuple[str, ...]]:
    """A copy whose layers hold computed weights as plain parameters, and the names of those.

    every: also weights that the drawing could compute in steps. The model itself if there are none.
    """
    paths = [
        p for p, layer in layers_with_computed_weights(module) if every or _is_weight_norm(layer)
    ]
    if not paths:
        return module, ()
    plain, messages = detached_deepcopy(module).eval(), list[str]()
    for path in paths:
        layer = plain.get_submodule(path)
        for name, way in computed_names(layer).items():
            messages.append(f"{path}.{name} ({way})" if path else f"{name} ({way})")
        _make_plain(layer)
    return plain.train(module.training), tuple(messages)


def _is_weight_norm(layer: nn.Module) -> bool:
    """Whether a weight comes from torch's weight norm, whose kernel has no block."""
    kinds = [type(hook).__name__ for hook in _hooks(layer)]
    if parametrize.is_parametrized(layer):
        kinds += [type(s).__name__ for steps in layer.parametrizations.values() for s in steps]  # type: ignore[union-attr]
    norm = parametrizations._WeightNorm.__name__
    return "WeightNorm" in kinds or norm in kinds


def _make_plain(layer: nn.Module) -> None:
    """Give a copied layer plain weights.

    torch's remove_parametrizations would change the original, too: the copy shares its class, which
    was created for it.
    """
    for hook in list(_hooks(layer)):
        HOOKS.get(type(hook).__name__, prune.remove)(layer, _name(hook))
    if parametrize.is_parametrized(layer):
        values = {name: getattr(layer, name).detach().clone() for name in computed_names(layer)}
        del layer.parametrizations
        layer.__class__ = type(layer).__mro__[1]
        for name, value in values.items():
            layer.register_parameter(name, nn.Parameter(value))


def detached_deepcopy(module: nn.Module, memo: dict[int, Any] | None = None) -> nn.Module:
    """A deepcopy, also of a model that keeps non-leaf tensors of an earlier run as attributes."""
    memo = dict(memo or {})
    for part in module.modules():
        for tensor in _tensors_in(vars(part)):
            if not tensor.is_leaf:
                memo.setdefault(id(tensor), tensor.detach().clone())
    return copy.deepcopy(module, memo)


def _tensors_in(nested: Any) -> Iterator[Tensor]:
    """Tensors in a module's attributes, and in lists and dictionaries of them."""
    if isinstance(nested, Tensor):
        yield nested
    elif isinstance(nested, dict):
        for item in nested.values():
            yield from _tensors_in(item)
    elif isinstance(nested, (list, tuple)):
        for item in nested:
            yield from _tensors_in(item)
