"""Lazy layers: copies of models that have no sizes yet, layers that a run never gave any, and what
a first call makes."""

import copy
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

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


OF_TORCH = ("_modules", "_parameters", "_buffers")
"""Where a module has its layers, weights and buffers."""


@contextmanager
def as_before(module: nn.Module) -> Iterator[None]:
    """Undo what runs inside the context put on the model: attributes, layers, weights and buffers
    are again those that they were. What changes in place stays changed."""
    before = [
        (part, dict(vars(part)), {n: dict(d) for n, d in _of_torch(part)})
        for part in module.modules()
    ]
    try:
        yield
    finally:
        for part, attributes, parts in before:
            vars(part).clear()
            vars(part).update(attributes)
            for name, held in parts.items():
                attributes[name].clear()
                attributes[name].update(held)


def _of_torch(part: nn.Module) -> Iterator[tuple[str, dict[str, Any]]]:
    held = ((name, vars(part).get(name)) for name in OF_TORCH)
    yield from ((name, value) for name, value in held if isinstance(value, dict))


def made_by_call(module: nn.Module, call: Callable[[nn.Module], object]) -> tuple[str, ...]:
    """Names of layers, weights and buffers that a call makes where the model has none yet."""
    before = _names(module)
    call(module)
    made = [name for name in _names(module) if name not in before]
    return tuple(n for n in made if not any(n.startswith(f"{outer}.") for outer in made))


def _names(module: nn.Module) -> dict[str, None]:
    named = (module.named_modules(), module.named_parameters(), module.named_buffers())
    return {name: None for each in named for name, _ in each}
