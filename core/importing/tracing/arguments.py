"""Reading what a model's calls are given and give back: tensors in nested arguments, names."""

import inspect
from collections.abc import Iterator, Mapping
from typing import Any

import torch
from torch import nn
from torch.overrides import resolve_name

from core.importing.tracing.steps import Ref


def first(args: Any) -> Any:
    """The first argument: what a function that returns nothing changes."""
    return args[0]


def is_mask(index: Any) -> bool:
    """Whether an index is one tensor of true and false."""
    return isinstance(index, torch.Tensor) and index.dtype in (torch.bool, torch.uint8)


def function_name(func: Any) -> str:
    """Torch's public name of a function, without module: cat, reshape, shape."""
    owner = getattr(func, "__self__", None)
    if getattr(func, "__name__", "") in ("__get__", "__set__") and owner is not None:
        return str(getattr(owner, "__name__", "property"))
    return str(getattr(func, "__name__", "") or (resolve_name(func) or "").rpartition(".")[2])


def tensors(found: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], Any]]:
    """All tensors of a nested result with their places."""
    if isinstance(found, torch.Tensor):
        yield path, found
    elif isinstance(found, Mapping):
        for key, item in found.items():
            yield from tensors(item, (*path, key))
    elif isinstance(found, (tuple, list)):
        for index, item in enumerate(found):
            yield from tensors(item, (*path, index))


def versions(given: Any) -> dict[int, int]:
    """How often each tensor of a nested argument was changed in place, by its identity."""
    return {id(tensor): tensor._version for _, tensor in tensors(given)}


def apart(result: Any, before: Mapping[int, int]) -> Any:
    """A result that can be told from what was given, where that came back unchanged: a dropout in
    eval mode, a cast to what it is. In training, and in another precision, they are two."""
    if isinstance(result, torch.Tensor) and before.get(id(result)) == result._version:
        return result.view_as(result)
    return result


def argument_names(module: nn.Module, args: Any, kwargs: Any) -> dict[int, str]:
    """Name the values given to forward after its arguments."""
    try:
        bound = inspect.signature(module.forward).bind(*args, **kwargs).arguments
    except (TypeError, ValueError):
        return {}
    names: dict[int, str] = {}
    for name, given in bound.items():
        found = list(dict.fromkeys(ref.value for ref in flat(given)))
        keys = list(given) if isinstance(given, Mapping) and len(given) == len(found) else []
        for index, value in enumerate(found):
            numbered = name if len(found) == 1 else f"{name}{index + 1}"
            names.setdefault(value, keys[index] if keys else numbered)
    return names


def flat(found: Any) -> Iterator[Ref]:
    """All Refs of a nested argument."""
    if isinstance(found, Ref):
        yield found
    elif isinstance(found, Mapping):
        for item in found.values():
            yield from flat(item)
    elif isinstance(found, tuple):
        for item in found:
            yield from flat(item)
