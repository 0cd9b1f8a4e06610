# ruff: noqa: A002, A006 - the names of arguments are torch's
"""Decompositions (torch's word): calls of functions without a block, in terms of those with one.

Every entry computes the same bits as the function it replaces; the calls it makes are recorded.
"""

import inspect
import math
from collections.abc import Callable, Mapping, Sequence
from types import FunctionType
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional as F

from core.wings.importing.tracing.dtypes import in_dtype
from core.wings.importing.tracing.indexing import getitem, needs_getitem, needs_setitem, setitem
from core.wings.importing.tracing.symint import Size, Sizes

Call = Callable[..., Any]


def decompose(name: str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Call | None:
    """The decomposition of a call, to be called without arguments; None if it stays as it is."""
    if (cast := in_dtype(name, args, kwargs)) is not None:
        return cast
    way = DECOMPOSITIONS.get(name)
    if way is None or not _accepts(way, args, kwargs):
        return None
    needed = CONDITIONS.get(name)
    if needed is not None and not needed(*args, **kwargs):
        return None
    return lambda: way(*args, **kwargs)


def _accepts(way: Call, args: Sequence[Any], kwargs: Mapping[str, Any]) -> bool:
    try:
        inspect.signature(way).bind(*args, **kwargs)
    except TypeError:
        return False
    return True


def norm(
    input: Tensor,
    p: Any = "fro",
    dim: Any = None,
    keepdim: bool = False,
    out: None = None,
    dtype: Any = None,
) -> Tensor:
    """torch.norm of vectors, as linalg.vector_norm."""
    order = 2 if p in ("fro", None) else p
    return torch.linalg.vector_norm(input, order, dim, keepdim, dtype=dtype)


def linalg_norm(A: Tensor, ord: Any = None, dim: Any = None, keepdim: bool = False) -> Tensor:
    """linalg.norm of vectors, and the Frobenius norm of matrices, as linalg.vector_norm."""
    return torch.linalg.vector_norm(A, 2 if ord in (None, "fro") else ord, dim, keepdim)


def _vectors(A: Tensor, ord: Any = None, dim: Any = None) -> bool:
    """Whether linalg.norm measures vectors, where it may measure matrices, too."""
    one = isinstance(dim, int) or (dim is not None and len(dim) == 1) or A.dim() == 1
    return ord in (None, "fro") if isinstance(ord, str) or not one else True


def var(input: Tensor, dim: Any = None, unbiased: bool = True, keepdim: bool = False) -> Tensor:
    """`unbiased` as `correction`."""
    return torch.var(input, dim, correction=int(unbiased), keepdim=keepdim)


def std(input: Tensor, dim: Any = None, unbiased: bool = True, keepdim: bool = False) -> Tensor:
    """`unbiased` as `correction`."""
    return torch.std(input, dim, correction=int(unbiased), keepdim=keepdim)


def _pair(of: Call) -> Call:
    def pair(input: Tensor, dim: Any = None, unbiased: bool = True, keepdim: bool = False) -> Any:
        return of(input, dim, correction=int(unbiased), keepdim=keepdim)

    return pair


def _biased(*args: Any, **kwargs: Any) -> bool:
    return "unbiased" in kwargs or any(isinstance(a, bool) for a in args[1:])


def tile(input: Tensor, *dims: Any) -> Tensor:
    """repeat, with leading ones if there are fewer counts than dimensions."""
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
    """eye as a comparison of two aranges, so that a symbolic size stays symbolic."""
    options = {k: v for k, v in more.items() if k in ("dtype", "device")}
    return torch.diag_embed(torch.ones(n, **options))


def _drawn(like: Call) -> Call:
    def draw(*size: Any, dtype: Any = None, device: Any = None) -> Tensor:
        return like(torch.zeros(*size, dtype=dtype, device=device))

    return draw


def max_or_maximum(input: Tensor, other: Any = None) -> Tensor:
    """torch.max of all values, or elementwise torch.maximum of two tensors."""
    return torch.amax(input, ()) if other is None else torch.maximum(input, other)


def min_or_minimum(input: Tensor, other: Any = None) -> Tensor:
    """torch.min of all values, or elementwise torch.minimum of two tensors."""
    return torch.amin(input, ()) if other is None else torch.minimum(input, other)


def _tensor_or_nothing(input: Tensor, other: Any = None, **more: Any) -> bool:
    return not more and (other is None or isinstance(other, Tensor))


def clamp(input: Tensor, min: Any = None, max: Any = None) -> Tensor:
    """clamp with tensor bounds, as maximum and minimum."""
    low = input if min is None else torch.maximum(input, min)
    return low if max is None else torch.minimum(low, max)


def _bounds(input: Tensor, min: Any = None, max: Any = None) -> bool:
    bounds = [b for b in (min, max) if b is not None]
    return bool(bounds) and all(isinstance(b, Tensor) for b in bounds)


def arange(*ends: Any, dtype: Any = None, device: Any = None) -> Tensor:
    """arange from 0 if the start is a symbolic size, and of integers if all bounds are whole."""
    kind = dtype or (torch.get_default_dtype() if any(map(_fraction, ends)) else torch.int64)
    first, last, *step = [int(n) if _fraction(n) else n for n in ends]
    by = step[0] if step else 1
    if not isinstance(first, Size) or abs(by) != 1:
        return _of_dtype(torch.arange(first, last, by, device=device), kind)
    count = torch.arange(last - first if by > 0 else first - last, device=device)
    return _of_dtype(count + first if by > 0 else first - count, kind)


def _of_dtype(tensor: Tensor, dtype: torch.dtype) -> Tensor:
    return tensor if tensor.dtype == dtype else tensor.to(dtype)


def _fraction(number: Any) -> bool:
    return isinstance(number, float)


def _counts(*ends: Any, **_: Any) -> bool:
    """Whether the first of several ends is a size, with a step of one, or some are fractions that
    are whole."""
    if len(ends) < 2 or not all(isinstance(n, int) or _is_few(n) for n in ends):
        return False
    return any(map(_fraction, ends)) or (
        isinstance(ends[0], Size) and ends[2:] in ((), (1,), (-1,))
    )


def _is_few(number: Any) -> bool:
    return _fraction(number) and number.is_integer() and abs(number) < 2**20


def cat(tensors: Sequence[Tensor], dim: int = 0) -> Tensor:
    """cat without empty tensors, such as an empty key-value cache."""
    non_empty = [t for t in tensors if not _is_empty(t)]
    return torch.cat(non_empty, dim) if len(non_empty) > 1 else non_empty[0].contiguous()


def _joins_empty(tensors: Sequence[Tensor], dim: int = 0) -> bool:
    """Whether some of the tensors, but not all, are empty, which torch.cat leaves out."""
    empty = [_is_empty(t) for t in tensors]
    return any(empty) and any(t.dim() > 1 for t in tensors)


def _is_empty(tensor: Tensor) -> bool:
    return [*map(int, tensor.shape)] == [0]


def squeeze(input: Tensor) -> Tensor:
    """squeeze with the dimensions of size 1 named; that the others are not 1 becomes a guard."""
    single = tuple(d for d in range(input.dim()) if input.shape[d] == 1)
    return torch.squeeze(input, single) if single else input


def tensordot(a: Tensor, b: Tensor, dims: Any = 2) -> Tensor:
    """tensordot as one matrix product."""
    if isinstance(dims, int):
        dims = range(a.dim() - dims, a.dim()), range(dims)
    mine, others = ([d] if isinstance(d, int) else d for d in dims)
    mine, others = [d % a.dim() for d in mine], [d % b.dim() for d in others]
    left = [d for d in range(a.dim()) if d not in mine]
    right = [d for d in range(b.dim()) if d not in others]
    inner = Sizes(a.shape[d] for d in mine).numel()
    rows = a.permute(*left, *mine).reshape(-1, inner)
    columns = b.permute(*others, *right).reshape(inner, -1)
    return (rows @ columns).reshape(*(a.shape[d] for d in left), *(b.shape[d] for d in right))


def inner(input: Tensor, other: Tensor) -> Tensor:
    """inner as a product of two vectors, or as one matrix product."""
    if input.dim() == 1 == other.dim():
        return torch.matmul(input, other)
    return tensordot(input, other, ([-1], [-1]))


def matrix_power(input: Tensor, n: int) -> Tensor:
    """matrix_power as products, in torch's order: by squaring beyond the third power."""
    if n == 3:
        return input @ input @ input
    result, power = None, input
    while n:
        if n % 2:
            result = power if result is None else result @ power
        n //= 2
        power = power @ power if n else power
    assert result is not None
    return result


def matrix_norm(
    A: Tensor, ord: Any = "fro", dim: Any = (-2, -1), keepdim: bool = False, *, dtype: Any = None
) -> Tensor:
    """The Frobenius norm of matrices, as linalg.vector_norm."""
    return torch.linalg.vector_norm(A, 2, dim, keepdim, dtype=dtype)


def atleast_2d(input: Tensor) -> Tensor:
    """A row of a vector, a single number as a matrix."""
    return input.reshape(1, 1) if not input.dim() else _at_front(input, input.dim() < 2)


def atleast_3d(input: Tensor) -> Tensor:
    """atleast_2d with a dimension behind."""
    flat = atleast_2d(input)
    return torch.unsqueeze(flat, -1) if flat.dim() < 3 else flat


def _at_front(input: Tensor, missing: bool) -> Tensor:
    return torch.unsqueeze(input, 0) if missing else input


def vecdot(x: Tensor, y: Tensor, *, dim: int = -1) -> Tensor:
    """vecdot as a sum of products."""
    return torch.matmul(x, y) if x.dim() == 1 == y.dim() else (x * y).sum(dim)


def _positions(input: Tensor) -> Tensor:
    """Where values are not 0, a row for each."""
    return torch.stack(torch.nonzero(input, as_tuple=True), 1)


def _body(function: Any) -> Call:
    """A function of torch's that is written in Python, as the calls that it makes itself."""
    names = {**function.__globals__, "has_torch_function": lambda tensors: False}  # pyright: ignore
    copy = FunctionType(function.__code__, names, function.__name__, function.__defaults__)
    copy.__kwdefaults__ = function.__kwdefaults__
    return copy


def kron(input: Tensor, other: Tensor) -> Tensor:
    """kron as a broadcast product over twice the dimensions."""
    rank = max(input.dim(), other.dim())
    mine, others = _ones_before(input, rank), _ones_before(other, rank)
    wide = input.reshape(*(n for size in mine for n in (size, 1)))
    spread = other.reshape(*(n for size in others for n in (1, size)))
    return (wide * spread).reshape(*(a * b for a, b in zip(mine, others, strict=True)))


def _ones_before(tensor: Tensor, rank: int) -> tuple[int, ...]:
    return (1,) * (rank - tensor.dim()) + tuple(tensor.shape)


def cross(input: Tensor, other: Tensor, dim: int | None = None) -> Tensor:
    """cross with its dimension named: without one, it is the first of size 3 (a guard)."""
    if dim is None:
        dim = next(d for d, size in enumerate(input.shape) if size == 3)
    return torch.linalg.cross(input, other, dim=dim)


def rot90(input: Tensor, k: int = 1, dims: Sequence[int] = (0, 1)) -> Tensor:
    """rot90 as flip and transpose."""
    first, second = dims
    if k % 4 == 2:
        return torch.flip(input, (first, second))
    turned = torch.flip(input, (second if k % 4 == 1 else first,))
    return torch.transpose(turned, first, second)


def block_diag(*tensors: Tensor) -> Tensor:
    """block_diag as cat with zeros."""
    blocks = [t if t.dim() == 2 else t.reshape(1, -1) for t in tensors]
    widths = [block.shape[1] for block in blocks]
    rows = [F.pad(block, (sum(widths[:i]), sum(widths[i + 1 :]))) for i, block in enumerate(blocks)]
    return torch.cat(rows) if len(rows) > 1 else rows[0]


def heaviside(input: Tensor, values: Tensor) -> Tensor:
    """heaviside as two where calls."""
    return torch.where(input == 0, values, (input > 0).to(input.dtype))


def to(input: Tensor, *args: Any, memory_format: Any, **more: Any) -> Tensor:
    """A cast, then contiguous with a memory format."""
    return input.to(*args, **more).to(memory_format=memory_format)


def equal(input: Tensor, other: bool) -> Tensor:
    """A comparison with True or False: of a mask itself or its opposite, of numbers with 1 or 0."""
    if input.dtype != torch.bool:
        return torch.eq(input, int(other))
    return input.clone() if other else torch.logical_not(input)


def unequal(input: Tensor, other: bool) -> Tensor:
    """The opposite of `equal`."""
    return equal(input, not other) if input.dtype == torch.bool else torch.ne(input, int(other))


def _with_truth(input: Any, other: Any) -> bool:
    return isinstance(input, Tensor) and isinstance(other, bool)


def _is_real(input: Tensor) -> bool:
    return not input.is_complex()


DECOMPOSITIONS: dict[str, Call] = {
    "to": to,
    "eq": equal,
    "__eq__": equal,
    "ne": unequal,
    "__ne__": unequal,
    "not_equal": unequal,
    "squeeze": squeeze,
    "tensordot": tensordot,
    "kron": kron,
    "rot90": rot90,
    "block_diag": block_diag,
    "heaviside": heaviside,
    "cross": cross,
    "inner": inner,
    "linalg_vecdot": vecdot,
    "ger": lambda input, vec2: torch.outer(input, vec2),
    "matrix_power": matrix_power,
    "linalg_matrix_power": matrix_power,
    "linalg_matrix_norm": matrix_norm,
    "linalg_diagonal": lambda A, *, offset=0, dim1=-2, dim2=-1: torch.diagonal(
        A, offset, dim1, dim2
    ),
    "adjoint": lambda input: torch.transpose(input, -2, -1),
    "multi_head_attention_forward": _body(F.multi_head_attention_forward),
    "nonzero": _positions,
    "argwhere": _positions,
    "masked_select": lambda input, mask: input[mask],
    "deg2rad": lambda input: input * (math.pi / 180),
    "rad2deg": lambda input: input * (180 / math.pi),
    "msort": lambda input: torch.sort(input, 0)[0],
    "sgn": lambda input: torch.sign(input),
    "real": lambda input: input,
    "conj": lambda input: input,
    "resolve_conj": lambda input: input,
    "resolve_neg": lambda input: input,
    "split_with_sizes": lambda input, split_sizes, dim=0: torch.split(input, split_sizes, dim),
    "row_stack": vstack,
    "atleast_1d": lambda input: input if input.dim() else input.reshape(1),
    "atleast_2d": atleast_2d,
    "atleast_3d": atleast_3d,
    "chain_matmul": lambda *matrices: torch.linalg.multi_dot(matrices),
    "dist": lambda input, other, p=2: torch.linalg.vector_norm(input - other, p),
    "mH": lambda input: torch.transpose(input, -2, -1),
    "H": lambda input: torch.transpose(input, 0, 1),
    "square_": lambda input: input.mul_(input),
    "float_power": lambda input, exponent: torch.pow(input.to(torch.float64), exponent),
    "cat": cat,
    "concat": cat,
    "arange": arange,
    "norm": norm,
    "linalg_norm": linalg_norm,
    "var": var,
    "std": std,
    "var_mean": _pair(torch.var_mean),
    "std_mean": _pair(torch.std_mean),
    "clip": lambda input, min=None, max=None: torch.clamp(input, min, max),
    "clamp": clamp,
    "clamp_min": lambda input, min: torch.clamp(input, min=min),
    "clamp_max": lambda input, max: torch.clamp(input, max=max),
    "rsub": lambda input, other, alpha=1: torch.sub(other, input, alpha=alpha),
    "mm": lambda input, mat2: torch.matmul(input, mat2),
    "mv": lambda input, vec: torch.matmul(input, vec),
    "vdot": lambda input, other: torch.matmul(input, other),
    "dot": lambda input, tensor: torch.matmul(input, tensor),
    "t": lambda input: torch.transpose(input, 0, 1) if input.dim() == 2 else input,
    "T": lambda input: torch.permute(input, tuple(range(input.dim()))[::-1]),
    "mT": lambda input: torch.transpose(input, -2, -1),
    "fliplr": lambda input: torch.flip(input, (1,)),
    "flipud": lambda input: torch.flip(input, (0,)),
    "hstack": hstack,
    "vstack": vstack,
    "dstack": dstack,
    "column_stack": column_stack,
    "hsplit": lambda input, parts: torch.tensor_split(input, parts, 0 if input.dim() == 1 else 1),
    "vsplit": lambda input, parts: torch.tensor_split(input, parts, 0),
    "dsplit": lambda input, parts: torch.tensor_split(input, parts, 2),
    "tile": tile,
    "broadcast_to": lambda input, size: input.expand(*size),
    "ravel": lambda input: torch.flatten(input),
    "diag": lambda input: torch.diagonal(input) if input.dim() == 2 else torch.diag_embed(input),
    "eye": eye,
    "rand": _drawn(torch.rand_like),
    "randn": _drawn(torch.randn_like),
    "max": max_or_maximum,
    "min": min_or_minimum,
    "searchsorted": lambda sequence, input, *, right=False: torch.bucketize(
        input, sequence, right=right
    ),
    "reshape_as": lambda input, other: input.reshape(other.shape),
    "numel": lambda input: Sizes(input.shape).numel(),
    "nelement": lambda input: Sizes(input.shape).numel(),
    "positive": lambda input: input,
    "__getitem__": getitem,
    "__setitem__": setitem,
}
"""Functions of torch by name, each written with others."""
CONDITIONS: dict[str, Callable[..., bool]] = {
    **dict.fromkeys(("eq", "__eq__", "ne", "__ne__", "not_equal"), _with_truth),
    "to": lambda input, *args, memory_format, **more: bool(args or more),
    "linalg_vecdot": lambda x, y, *, dim=-1: not x.is_complex() and x.shape == y.shape,
    "matrix_power": lambda input, n: n > 1,
    "linalg_matrix_power": lambda input, n: n > 1,
    "linalg_matrix_norm": lambda A, ord="fro", *_, **__: ord == "fro",
    "adjoint": _is_real,
    "sgn": _is_real,
    "real": _is_real,
    "conj": _is_real,
    "resolve_conj": _is_real,
    "resolve_neg": _is_real,
    "nonzero": lambda input: input.dim() > 0,
    "argwhere": lambda input: input.dim() > 0,
    "masked_select": lambda input, mask: input.dim() == mask.dim() and input.shape == mask.shape,
    "deg2rad": lambda input: input.is_floating_point(),
    "rad2deg": lambda input: input.is_floating_point(),
    "rot90": lambda input, k=1, dims=(0, 1): k % 4 != 0,
    "vdot": lambda input, other: not input.is_complex(),
    "mH": _is_real,
    "H": _is_real,
    "float_power": lambda input, exponent: isinstance(exponent, (int, float)),
    "norm": lambda input, p="fro", *_, **__: p != "nuc",
    "linalg_norm": lambda A, ord=None, dim=None, keepdim=False, **_: _vectors(A, ord, dim),
    "var": _biased,
    "std": _biased,
    "var_mean": _biased,
    "std_mean": _biased,
    "arange": _counts,
    "cat": _joins_empty,
    "concat": _joins_empty,
    "max": _tensor_or_nothing,
    "min": _tensor_or_nothing,
    "clamp": _bounds,
    "eye": lambda n, *more, **__: isinstance(n, Size) and not more,
    "searchsorted": lambda sequence, *_, **__: sequence.dim() == 1,
    "__getitem__": needs_getitem,
    "__setitem__": needs_setitem,
}
"""Conditions under which a call is rewritten, for functions that usually stay unchanged."""
