"""Layers whose weights are computed before each call: parametrizations, weight norm, pruning masks.

What a block's setting `parametrize` says is drawn as that, also where a model has it in torch's
older form. Of the others most are drawn with the steps that compute them; what cannot be, is drawn
as a plain layer with its current weights.
"""

import copy
from collections.abc import Iterator
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.utils import parametrizations, parametrize, prune

from blocks.parametrize import FITTING, FUNCTIONS, PARAMETRIZATIONS
from core.engine.parametrized import fix_weights

WAYS = {way.torch_class: name for name, way in PARAMETRIZATIONS.items() if not way.code}
AT = "parametrizations.weight"
"""Where torch keeps what a weight is computed from."""
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


def drawn_way(layer: nn.Module) -> str:
    """The `parametrize` of a block that computes a layer's weight as it does, "" without one.

    Options have to be those that the block's text gives, which are torch's defaults.
    """
    if not parametrize.is_parametrized(layer) or any(_hooks(layer)):
        return ""
    steps: Any = layer.parametrizations
    kind = type(layer).__mro__[1]
    if list(steps) != ["weight"] or len(steps.weight) != 1 or _stock_name(kind) not in FITTING:
        return ""
    step = steps.weight[0]
    dim = int("Transpose" in kind.__name__)
    given = {
        "_WeightNorm": lambda: step.dim == 0,
        "_SpectralNorm": lambda: (step.dim, step.n_power_iterations, step.eps) == (dim, 1, 1e-12),
        "_Orthogonal": lambda: step.orthogonal_map.name == "cayley" and not hasattr(step, "base"),
    }
    name = type(step).__name__
    own = type(step).__module__ == FUNCTIONS
    return WAYS[name] if own and name in given and given[name]() else ""


def _stock_name(kind: type) -> str:
    return f"nn.{kind.__name__}" if getattr(nn, kind.__name__, None) is kind else ""


def older_ways(layer: nn.Module) -> dict[str, str]:
    """Of a weight norm or spectral norm in torch's older form: the keys of what is learned and
    measured in the newer form, and their older names; {} for any other layer."""
    hooks = list(_hooks(layer))
    if len(hooks) != 1 or parametrize.is_parametrized(layer) or _name(hooks[0]) != "weight":
        return {}
    hook, dim = hooks[0], int("Transpose" in type(layer).__name__)
    if _stock_name(type(layer)) not in FITTING:
        return {}
    if type(hook).__name__ == "WeightNorm" and hook.dim == 0:
        return {f"{AT}.original0": "weight_g", f"{AT}.original1": "weight_v"}
    spectral = type(hook).__name__ == "SpectralNorm"
    if spectral and (hook.dim, hook.n_power_iterations, hook.eps) == (dim, 1, 1e-12):
        learned, measured = {f"{AT}.original": "weight_orig"}, ("_u", "_v")
        return learned | {f"{AT}.0.{name}": f"weight{name}" for name in measured}
    return {}


def newer_names(module: nn.Module) -> dict[str, str]:
    """Of all layers in an older form: full names of the newer form, and the model's own."""
    return {
        (f"{path}.{new}" if path else new): (f"{path}.{old}" if path else old)
        for path, part in module.named_modules()
        for new, old in older_ways(part).items()
    }


def _make_newer(layer: nn.Module) -> None:
    """Give a copied layer the newer form of its norm, with the same numbers."""
    (hook,), names = _hooks(layer), older_ways(layer)
    values = {new: getattr(layer, old).detach().clone() for new, old in names.items()}
    learns = getattr(layer, next(iter(names.values()))).requires_grad
    HOOKS[type(hook).__name__](layer, "weight")
    spectral = type(hook).__name__ == "SpectralNorm"
    (parametrizations.spectral_norm if spectral else parametrizations.weight_norm)(layer)
    held = {**dict(layer.named_parameters()), **dict(layer.named_buffers())}
    with torch.no_grad():
        for new, value in values.items():
            held[new].copy_(value)
    for weight in layer.parametrizations.parameters():  # type: ignore[union-attr]
        weight.requires_grad_(learns)


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


def with_plain_weights(
    module: nn.Module, every: bool, drawn: bool = True
) -> tuple[nn.Module, tuple[str, ...]]:
    """A copy whose layers hold computed weights as plain parameters, and the names of those.

    every: also weights that the drawing could compute in steps. drawn: leave those out that a
    block's setting computes. The model itself if there are none.
    """
    layers = layers_with_computed_weights(module)
    older = [path for path, layer in layers if drawn and older_ways(layer)]
    paths = [
        path
        for path, layer in layers
        if path not in older
        and not (drawn and drawn_way(layer))
        and (every or _is_weight_norm(layer))
    ]
    if not paths and not older:
        return module, ()
    plain, messages = detached_deepcopy(module).eval(), list[str]()
    for path in older:
        _make_newer(plain.get_submodule(path))
    for path in paths:
        layer = plain.get_submodule(path)
        for name, way in computed_names(layer).items():
            messages.append(f"{path}.{name} ({way})" if path else f"{name} ({way})")
        for hook in list(_hooks(layer)):
            HOOKS.get(type(hook).__name__, prune.remove)(layer, _name(hook))
        if parametrize.is_parametrized(layer):
            fix_weights(layer)
    return plain.train(module.training), tuple(messages)


def _is_weight_norm(layer: nn.Module) -> bool:
    """Whether a weight comes from torch's weight norm, whose kernel has no block."""
    kinds = [type(hook).__name__ for hook in _hooks(layer)]
    if parametrize.is_parametrized(layer):
        kinds += [type(s).__name__ for steps in layer.parametrizations.values() for s in steps]  # type: ignore[union-attr]
    norm = parametrizations._WeightNorm.__name__
    return "WeightNorm" in kinds or norm in kinds


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
