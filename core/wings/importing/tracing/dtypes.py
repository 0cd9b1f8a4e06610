"""Calls that name a dtype, and calls in place on other dtypes: with the casts that torch makes.

`x.cumsum(1, dtype=torch.int32)` casts its input, and its result again, for sums of integers are
int64 whatever they add; `x.mul_(y)` keeps the dtype of x, `x * y` does not.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional as F

from core.common.errors import ImportRefused

IN_DTYPE: dict[str, Callable[..., Tensor]] = {
    "sum": torch.sum,
    "nansum": torch.nansum,
    "mean": torch.mean,
    "nanmean": torch.nanmean,
    "prod": torch.prod,
    "cumsum": torch.cumsum,
    "cumprod": torch.cumprod,
    "softmax": torch.softmax,
    "log_softmax": torch.log_softmax,
    "softmin": F.softmin,
    "norm": torch.norm,
    "linalg_norm": torch.linalg.norm,
    "linalg_vector_norm": torch.linalg.vector_norm,
    "linalg_matrix_norm": torch.linalg.matrix_norm,
}
"""Functions that cast their input to a dtype first, by torch's names."""
HALVES = (torch.float16, torch.bfloat16)
"""Dtypes in which torch calculates no mean: it does so in float32, and casts what it gives."""
SAME_DTYPE = frozenset("copy_ zero_ fill_".split())
"""Calls in place that are drawn in the dtype of what they change."""


def in_dtype(
    name: str, args: Sequence[Any], kwargs: Mapping[str, Any]
) -> Callable[[], Tensor] | None:
    """The casts around a call that names a dtype, to be called without arguments; None for any
    other call."""
    plain = [a for a in args if not isinstance(a, torch.dtype)]
    dtype = next((a for a in args if isinstance(a, torch.dtype)), kwargs.get("dtype"))
    if name not in IN_DTYPE or dtype is None or not plain or not isinstance(plain[0], Tensor):
        return None
    words = {k: v for k, v in kwargs.items() if k not in ("dtype", "_stacklevel")}
    if "softm" in name:
        plain = plain[:2]  # behind the dimension: how far a warning points up the stack

    def call() -> Tensor:
        half = dtype in HALVES and "mean" in name
        start = _cast(plain[0], torch.float32 if half else dtype)
        result = IN_DTYPE[name](start, *plain[1:], **words)
        return _cast(result, dtype)

    return call


def _cast(tensor: Tensor, dtype: torch.dtype) -> Tensor:
    return tensor if tensor.dtype == dtype else tensor.to(dtype)


def refuse_complex(name: str, args: Sequence[Any], result: Any, place: Callable[[], str]) -> None:
    """Raises ImportRefused for complex numbers, which no block takes or returns."""
    parts = result if isinstance(result, (tuple, list)) else (result,)
    if any(isinstance(part, Tensor) and part.is_complex() for part in (*args, *parts)):
        raise ImportRefused(
            place(),
            f"computes with complex numbers ({name.strip('_')}), for which there are no blocks.",
            "Write real and imaginary parts as two tensors: a rotation is (a * cos - b * sin, "
            "a * sin + b * cos).",
        )


def keeps_dtype(name: str, args: Sequence[Any], kwargs: Mapping[str, Any], result: Any) -> bool:
    """Whether a call in place gives its dtype where the same call out of place does; True of all
    other calls. It is run on the meta device."""
    if not isinstance(result, Tensor) or not _is_in_place(name):
        return True
    if name == "copy_":
        return args[1].dtype == result.dtype
    function = getattr(Tensor, _out_of_place(name), None)
    if function is None or name in SAME_DTYPE:
        return True
    try:
        made = function(*map(_on_meta, args), **{k: _on_meta(v) for k, v in kwargs.items()})
    except (RuntimeError, TypeError, NotImplementedError):
        return True  # it has no form out of place for these: the comparison judges it
    return not isinstance(made, Tensor) or made.dtype == result.dtype


def _is_in_place(name: str) -> bool:
    if name.startswith("__"):
        return name[2:3] == "i" and name[3:].strip("_") in AUGMENTED
    return name.endswith("_")


AUGMENTED = frozenset(
    "add sub mul truediv div floordiv mod pow and or xor lshift rshift matmul".split()
)
"""Operators that have a form in place: x += y is __iadd__."""


def _out_of_place(name: str) -> str:
    return f"__{name[3:]}" if name.startswith("__") else name.removesuffix("_")


def _on_meta(argument: Any) -> Any:
    if not isinstance(argument, Tensor):
        return argument
    return torch.empty_like(argument, device="meta")
