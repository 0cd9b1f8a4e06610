"""Layers whose weight is computed before each call: reading it, and holding it as it is."""

import copy

import torch
from torch import Tensor, nn
from torch.nn.utils import parametrize


def computed_weight(layer: nn.Module) -> Tensor:
    """The `weight` of a layer as evaluation computes it.

    Reading it in training mode would count as a call: spectral_norm moves its vectors then.
    """
    if not parametrize.is_parametrized(layer):
        return layer.get_parameter("weight")
    parts = list(layer.parametrizations.modules())  # type: ignore[union-attr]
    modes = [part.training for part in parts]
    try:
        for part in parts:
            part.training = False
        with torch.no_grad():
            return layer.weight  # type: ignore[return-value]
    finally:
        for part, mode in zip(parts, modes, strict=True):
            part.training = mode


def with_fixed_weights(module: nn.Module) -> nn.Module:
    """A copy whose computed weights are plain parameters with the values of evaluation; the module
    itself where none is computed."""
    if not any(parametrize.is_parametrized(part) for part in module.modules()):
        return module
    fixed = copy.deepcopy(module).eval()
    for layer in fixed.modules():
        if parametrize.is_parametrized(layer):
            fix_weights(layer)
    return fixed.train(module.training)


def fix_weights(layer: nn.Module) -> None:
    """Give a copied layer plain weights in the place of computed ones.

    torch's remove_parametrizations would change the original, too: the copy shares its class, which
    was made for it.
    """
    names = list(layer.parametrizations)  # type: ignore[arg-type]
    values = {name: getattr(layer, name).detach().clone() for name in names}
    del layer.parametrizations
    layer.__class__ = type(layer).__mro__[1]
    for name, value in values.items():
        layer.register_parameter(name, nn.Parameter(value))
