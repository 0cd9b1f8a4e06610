"""Lazy layers: copies of models that have no sizes yet, and layers that a run never gave any."""

import copy

from torch import nn
from torch.nn.modules.lazy import LazyModuleMixin
from torch.nn.parameter import UninitializedBuffer, is_lazy


def has_lazy_layers(module: nn.Module) -> bool:
    """Whether some parameter or buffer has no size yet."""
    return any(is_lazy(t) for t in (*module.parameters(), *module.buffers()))


def copy_of_lazy(module: nn.Module) -> nn.Module:
    """A deepcopy, also of buffers without a size, which torch's cannot."""
    memo = {
        id(b): UninitializedBuffer(b.requires_grad, device=b.device, dtype=b.dtype)  # pyright: ignore
        for b in module.buffers()
        if is_lazy(b)
    }
    return copy.deepcopy(module, memo)


def leave_out_lazy(module: nn.Module) -> tuple[str, ...]:
    """Replace layers that still have no size, for no run calls them, by layers without weights, in
    place; returns their paths."""
    left = [path for path, part in module.named_modules() if _is_without_size(part)]
    for path in left:
        holder, _, name = path.rpartition(".")
        setattr(module.get_submodule(holder), name, nn.Identity())
    return tuple(left)


def _is_without_size(part: nn.Module) -> bool:
    own = (*part.parameters(recurse=False), *part.buffers(recurse=False))
    return isinstance(part, LazyModuleMixin) and any(is_lazy(tensor) for tensor in own)
