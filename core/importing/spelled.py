# ruff: noqa: A002, A006 - the names of arguments are torch's
"""Torch's many ways to say the same: calls of functions without a block, by those that have one.

Every entry computes the same bits as the function it stands for; what it calls is recorded.
"""

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
from torch import Tensor

from core.importing.indexed import getitem, needs_getitem, needs_setitem, setitem
from core.importing.tracked import Size, Sizes

Call = Callable[..., Any]


def respell(name: str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Call | None:
    """Find how to say a call in other functions; None where it stays as it is."""
    way = SPELLED.get(name)
    if way is None or not _takes(way, args, kwargs):
        return None
    needed = NEEDED.get(name)
    if needed is not None and not needed(*args, **kwargs):
        return None
    return lambda: way(*args, **kwargs)


def _takes(way: Call, args: Sequence[Any], kwargs: Mapping[str, Any]) -> bool:
    try:
        inspect.signature(way).bind(*args, **kwargs)
    except TypeError:
        return False
    return True


def norm(
    input: Tensor, p: Any = "fro", dim: Any = None, keepdim: bool = False, out: None = None,
    dtype: Any = None,
) -> Tensor:  # fmt: skip
    """Say torch.norm of vectors as linalg.vector_norm."""
    order = 2 if p in ("fro", None) else p
    return torch.linalg.vector_norm(input, order, dim, keepdim, dtype=dtype)


def linalg_norm(A: Tensor, ord: Any = None, dim: Any = None, keepdim: bool = False) -> Tensor:
    """Say linalg.norm of vectors as linalg.vector_norm."""
    return torch.linalg.vector_norm(A, 2 if ord is None else ord, dim, keepdim)


def _vectors(A: Tensor, ord: Any = None, dim: Any = None) -> bool:
    """Whether linalg.norm measures vectors, where it may measure matrices, too."""
    one = isinstance(dim, int) or (dim is not None and len(dim) == 1) or A.dim() == 1
    return ord is None or (one and not isinstance(ord, str))


def var(input: Tensor, dim: Any = None, unbiased: bool = True, keepdim: bool = False) -> Tensor:
    """Say unbiased as the number taken off the count."""
    return torch.var(input, dim, correction=int(unbiased), keepdim=keepdim)


def std(input: Tensor, dim: Any = None, unbiased: bool = True, keepdim: bool = False) -> Tensor:
    """Say unbiased as the number taken off the count."""
    return torch.std(input, dim, correction=int(unbiased), keepdim=keepdim)


def _pair(of: Call) -> Call:
    def pair(input: Tensor, dim: Any = None, unbiased: bool = True, keepdim: bool = False) -> Any:
        return of(input, dim, correction=int(unbiased), keepdim=keepdim)

    return pair


def _biased(*args: Any, **kwargs: Any) -> bool:
    return "unbiased" in kwargs or any(isinstance(a, bool) for a in args[1:])


def tile(input: Tensor, *dims: Any) -> Tensor:
    """Repeat, with ones in front where there are fewer numbers than dimensions."""
    times = tuple(dims[0]) if len(dims) == 1 and isinstance(dims[0], Sequence) else dims
    return input.repeat(*(1,) * (input.dim() - len(times)), *times)


def hstack(tensors: Sequence[Tensor]) -> Tensor:
    """Join along the second dimension, or the only one."""
    return torch.cat(list(tensors), 0 if tensors[0].dim() == 1 else 1)


def vstack(tensors: Sequence[Tensor]) -> Tensor:
    """Join along the first dimension; vectors become rows."""
    return torch.stack(list(tensors)) if tensors[0].dim() == 1 else torch.cat(list(tensors))


def column_stack(tensors: Sequence[Tensor]) -> Tensor:
    """Join along the second dimension; vectors become columns."""
    return torch.stack(list(tensors), 1) if tensors[0].dim() == 1 else torch.cat(list(tensors), 1)


def dstack(tensors: Sequence[Tensor]) -> Tensor:
    """Join along the third dimension."""
    return torch.cat(list(tensors), 2)


def eye(n: int, **more: Any) -> Tensor:
    """Write ones on the diagonal; the size stays what it was calculated from."""
    kept = {k: v for k, v in more.items() if k in ("dtype", "device")}
    return torch.diag_embed(torch.ones(n, **kept))


def _drawn(like: Call) -> Call:
    def draw(*size: Any, dtype: Any = None, device: Any = None) -> Tensor:
        return like(torch.zeros(*size, dtype=dtype, device=device))

    return draw


def _cast(name: str) -> Call:
    def softmax(input: Tensor, dim: Any = None, _stacklevel: int = 3, dtype: Any = None) -> Tensor:
        turned = input if dtype in (None, input.dtype) else input.to(dtype)
        return getattr(torch, name)(turned, dim)

    return softmax


def greatest(input: Tensor, other: Any = None) -> Tensor:
    """Say the largest of all values, or of each two."""
    return torch.amax(input, ()) if other is None else torch.maximum(input, other)


def smallest(input: Tensor, other: Any = None) -> Tensor:
    """Say the smallest of all values, or of each two."""
    return torch.amin(input, ()) if other is None else torch.minimum(input, other)


def _tensor_or_nothing(input: Tensor, other: Any = None, **more: Any) -> bool:
    return not more and (other is None or isinstance(other, Tensor))


def clamp(input: Tensor, min: Any = None, max: Any = None) -> Tensor:
    """Say bounds that are tensors by what is larger and smaller."""
    low = input if min is None else torch.maximum(input, min)
    return low if max is None else torch.minimum(low, max)


def _bounds(input: Tensor, min: Any = None, max: Any = None) -> bool:
    bounds = [b for b in (min, max) if b is not None]
    return bool(bounds) and all(isinstance(b, Tensor) for b in bounds)


SPELLED: dict[str, Call] = {
    "norm": norm, "linalg_norm": linalg_norm,
    "var": var, "std": std, "var_mean": _pair(torch.var_mean), "std_mean": _pair(torch.std_mean),
    "clip": lambda input, min=None, max=None: torch.clamp(input, min, max),
    "clamp": clamp,
    "clamp_min": lambda input, min: torch.clamp(input, min=min),
    "clamp_max": lambda input, max: torch.clamp(input, max=max),
    "rsub": lambda input, other, alpha=1: torch.sub(other, input, alpha=alpha),
    "mm": lambda input, mat2: torch.matmul(input, mat2),
    "mv": lambda input, vec: torch.matmul(input, vec),
    "dot": lambda input, tensor: torch.matmul(input, tensor),
    "t": lambda input: torch.transpose(input, 0, 1) if input.dim() == 2 else input,
    "T": lambda input: torch.permute(input, tuple(range(input.dim()))[::-1]),
    "mT": lambda input: torch.transpose(input, -2, -1),
    "fliplr": lambda input: torch.flip(input, (1,)),
    "flipud": lambda input: torch.flip(input, (0,)),
    "hstack": hstack, "vstack": vstack, "dstack": dstack, "column_stack": column_stack,
    "hsplit": lambda input, parts: torch.tensor_split(input, parts, 0 if input.dim() == 1 else 1),
    "vsplit": lambda input, parts: torch.tensor_split(input, parts, 0),
    "dsplit": lambda input, parts: torch.tensor_split(input, parts, 2),
    "tile": tile,
    "broadcast_to": lambda input, size: input.expand(*size),
    "ravel": lambda input: torch.flatten(input),
    "diag": lambda input: torch.diagonal(input) if input.dim() == 2 else torch.diag_embed(input),
    "eye": eye,
    "rand": _drawn(torch.rand_like), "randn": _drawn(torch.randn_like),
    "softmax": _cast("softmax"), "log_softmax": _cast("log_softmax"),
    "max": greatest, "min": smallest,
    "searchsorted": lambda sequence, input, *, right=False: torch.bucketize(
        input, sequence, right=right
    ),
    "reshape_as": lambda input, other: input.reshape(other.shape),
    "numel": lambda input: Sizes(input.shape).numel(),
    "nelement": lambda input: Sizes(input.shape).numel(),
    "positive": lambda input: input,
    "__getitem__": getitem, "__setitem__": setitem,
}  # fmt: skip
"""Functions of torch by name, each said by others."""
NEEDED: dict[str, Callable[..., bool]] = {
    "norm": lambda input, p="fro", *_, **__: p != "nuc",
    "linalg_norm": lambda A, ord=None, dim=None, keepdim=False, **_: _vectors(A, ord, dim),
    "var": _biased, "std": _biased, "var_mean": _biased, "std_mean": _biased,
    "softmax": lambda *_, dtype=None, **__: dtype is not None,
    "log_softmax": lambda *_, dtype=None, **__: dtype is not None,
    "max": _tensor_or_nothing, "min": _tensor_or_nothing,
    "clamp": _bounds,
    "eye": lambda n, *more, **__: isinstance(n, Size) and not more,
    "searchsorted": lambda sequence, *_, **__: sequence.dim() == 1,
    "__getitem__": needs_getitem, "__setitem__": needs_setitem,
}  # fmt: skip
"""When a call is said otherwise, of functions that mostly stay as they are."""
