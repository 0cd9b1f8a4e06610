"""Helpers for the arguments and results of recorded calls: nested tensors, names, versions."""

import inspect
from collections.abc import Iterator, Mapping
from typing import Any

import torch
from torch import nn
from torch.overrides import resolve_name

from core.importing.tracing.trace_ir import Ref


def first_argument(args: Any) -> Any:
    """The first positional argument: what a function without a result changes in place."""
    return args[0]


def is_mask(index: Any) -> bool:
    """Whether an index is a single boolean tensor."""
    return isinstance(index, torch.Tensor) and index.dtype in (torch.bool, torch.uint8)


def function_name(func: Any) -> str:
    """Torch's public name of a function, without module: cat, reshape, shape."""
    owner = getattr(func, "__self__", None)
    if getattr(func, "__name__", "") in ("__get__", "__set__") and owner is not None:
        return str(getattr(owner, "__name__", "property"))
    return str(getattr(func, "__name__", "") or (resolve_name(func) or "").rpartition(".")[2])


def tensors_with_paths(
    nested: Any, path: tuple[Any, ...] = ()
) -> Iterator[tuple[tuple[Any, ...], Any]]:
    """All tensors of a nested result, each with its path (indices and keys)."""
    if isinstance(nested, torch.Tensor):
        yield path, nested
    elif isinstance(nested, Mapping):
        for key, item in nested.items():
            yield from tensors_with_paths(item, (*path, key))
    elif isinstance(nested, (tuple, list)):
        for index, item in enumerate(nested):
            yield from tensors_with_paths(item, (*path, index))


def version_counters(arguments: Any) -> dict[int, int]:
    """`Tensor._version` (the count of in-place changes) of each tensor of a nested argument, by
    id."""
    return {id(tensor): tensor._version for _, tensor in tensors_with_paths(arguments)}


def distinct_result(result: Any, before: Mapping[int, int]) -> Any:
    """A result that is a new object even where the call returned its argument unchanged (dropout in
    eval mode, a cast to the same dtype): in training, or in another precision, they are two."""
    if isinstance(result, torch.Tensor) and before.get(id(result)) == result._version:
        return result.view_as(result)
    return result


def argument_names(module: nn.Module, args: Any, kwargs: Any) -> dict[int, str]:
    """Map the values passed to a module's forward to its parameter names."""
    try:
        bound = inspect.signature(module.forward).bind(*args, **kwargs).arguments
    except (TypeError, ValueError):
        return {}
    names: dict[int, str] = {}
    for name, given in bound.items():
        numbers = list(dict.fromkeys(ref.value for ref in refs_in(given)))
        keys = list(given) if isinstance(given, Mapping) and len(given) == len(numbers) else []
        for index, value in enumerate(numbers):
            numbered = name if len(numbers) == 1 else f"{name}{index + 1}"
            names.setdefault(value, keys[index] if keys else numbered)
    return names


def refs_in(nested: Any) -> Iterator[Ref]:
    """All Refs of a nested argument."""
    if isinstance(nested, Ref):
        yield nested
    elif isinstance(nested, Mapping):
        for item in nested.values():
            yield from refs_in(item)
    elif isinstance(nested, tuple):
        for item in nested:
            yield from refs_in(item)
