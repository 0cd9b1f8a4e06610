"""Helpers for arguments and results of recorded calls: signatures, nested tensors, versions."""

import inspect
from collections.abc import Iterator, Mapping
from typing import Any

import torch
from torch import nn
from torch.nn import functional as F
from torch.overrides import resolve_name

from core.wings.importing.tracing.trace_ir import Ref

NUMPY = {"axis": "dim", "keepdims": "keepdim"}
"""Numpy's words that torch's functions take, too."""
LEADING = ("input", "tensors", "self")
"""What the first argument of a function is called."""
SWITCH = "cudnn_enabled"
"""An argument of torch's own functions that torch.nn.functional fills in."""
FUNCTIONAL: dict[Any, tuple[Any, str]] = {
    torch.batch_norm: (
        F.batch_norm,
        f"input weight bias running_mean running_var training momentum eps {SWITCH}",
    ),
    torch.instance_norm: (
        F.instance_norm,
        f"input weight bias running_mean running_var use_input_stats momentum eps {SWITCH}",
    ),
    torch.group_norm: (F.group_norm, f"input num_groups weight bias eps {SWITCH}"),
    torch.layer_norm: (F.layer_norm, f"input normalized_shape weight bias eps {SWITCH}"),
    torch.embedding: (F.embedding, "weight input padding_idx scale_grad_by_freq sparse"),
}
"""Functions of torch that take the arguments of their brothers in torch.nn.functional in another
order, which is here."""


def as_functional(
    func: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]
) -> tuple[Any, tuple[Any, ...], dict[str, Any]]:
    """Call the function of torch.nn.functional in place of torch's own one with another order."""
    function, order = FUNCTIONAL[func]
    named = {**dict(zip(order.split(), args, strict=False)), **kwargs}
    named.pop(SWITCH, None)
    named.pop("cudnn_enable", None)
    if "indices" in named:
        named["input"] = named.pop("indices")
    if function is F.embedding and named.get("padding_idx", 0) < 0:
        del named["padding_idx"]  # where -1 is none
    return function, (named.pop("input"),), named


def normalize_function(
    func: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any] | None
) -> tuple[Any, tuple[Any, ...], dict[str, Any]]:
    """Bring a call into the form of torch's own signature (as torch.fx's normalize_function).

    Numpy's keywords are renamed, the first input is positional; x.where(mask, y) becomes
    torch.where(mask, x, y), torch.embedding(weight, input) F.embedding(input, weight).
    """
    if func in FUNCTIONAL:
        return as_functional(func, args, kwargs or {})
    named = {NUMPY.get(key, key): value for key, value in (kwargs or {}).items()}
    if named.get("out", ...) is None:
        del named["out"]
    lead = next((key for key in LEADING if key in named), "")
    if lead and not args and (lead == "tensors" or isinstance(named[lead], torch.Tensor)):
        args = (named.pop(lead),)
    if "axis0" in named:  # of swapaxes
        args = (*args, named.pop("axis0"), named.pop("axis1"))
    if func is torch.Tensor.where and len(args) > 1:
        func, args = torch.where, (args[1], args[0], *args[2:])
    return func, args, named


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
    for name, argument in bound.items():
        numbers = list(dict.fromkeys(ref.value for ref in refs_in(argument)))
        keys = (
            list(argument)
            if isinstance(argument, Mapping) and len(argument) == len(numbers)
            else []
        )
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
