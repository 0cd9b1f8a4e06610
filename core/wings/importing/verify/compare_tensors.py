"""Bitwise comparison of the results, gradients and buffers of two runs."""

import math
from collections.abc import Mapping, Set

import torch
from torch import Tensor, nn


def outermost(model: nn.Module, odd: Set[str], drawn: Set[str]) -> list[str]:
    """The outermost modules all of whose parameters are among the odd ones."""
    result: list[str] = []
    for path, _ in model.named_modules():
        inside = any(path.startswith(f"{other}.") for other in result)
        own = any(n.startswith(f"{path}.") for n in odd)
        if path and own and not inside and not any(n.startswith(f"{path}.") for n in drawn):
            result.append(path)
    return result


def dict_difference(kind: str, expected: Mapping[str, Tensor], got: Mapping[str, Tensor]) -> str:
    """How two dictionaries of tensors differ, "" if they are equal bit for bit. Strides do not
    count: an optimiser step reads none of them."""
    if expected.keys() != got.keys():
        odd = sorted(expected.keys() ^ got.keys())
        return f"{kind} of {', '.join(odd[:3])} stand on one side only"
    for name, a in expected.items():
        if other := _form(a, got[name]):
            return f"{kind}: {name} {other}"
    gaps = [gap for name, a in expected.items() if (gap := largest_gap(a, got[name]))]
    worst = max(gaps, key=lambda gap: (math.isnan(gap), gap), default=0.0)
    return f"{kind} differ by up to {worst:.1e}" if gaps else ""


def difference(expected: list[Tensor], got: list[Tensor]) -> str:
    """How two lists of tensors differ in shape, dtype, values or strides, "" if they are equal bit
    for bit."""
    if len(expected) != len(got):
        return f"{len(got)} results instead of {len(expected)}"
    for number, (a, b) in enumerate(zip(expected, got, strict=True), 1):
        if other := _form(a, b):
            return f"result {number} {other}"
        if gap := largest_gap(a, b):
            return f"result {number} differs by up to {gap:.1e}"
        if strides(a) != strides(b):
            return f"result {number} has the strides {b.stride()} instead of {a.stride()}"
    return ""


def _form(a: Tensor, b: Tensor) -> str:
    """How a tensor differs from an expected one in shape or dtype."""
    if a.shape != b.shape:
        return f"is {tuple(b.shape)} instead of {tuple(a.shape)}"
    if a.dtype != b.dtype:
        return f"is {dtype_name(b)} instead of {dtype_name(a)}"
    return ""


def dtype_name(tensor: Tensor) -> str:
    """A tensor's dtype without the name of the library: float32."""
    return str(tensor.dtype).removeprefix("torch.")


def largest_gap(a: Tensor, b: Tensor) -> float:
    """The largest difference of two tensors of one shape; 0.0 where they are equal, NaN where
    one of them alone is not a number."""
    if torch.equal(a, b):
        return 0.0
    same = (a == b) | (a.isnan() & b.isnan())
    if bool(same.all()):
        return 0.0
    wide = torch.complex128 if a.is_complex() else torch.float64
    gap = torch.where(same, 0.0, (a.to(wide) - b.to(wide)).abs())
    return float(gap.max()) or math.ulp(0.0)  # of large integers, which a float64 rounds alike


def strides(tensor: Tensor) -> tuple[int, ...]:
    """The strides that show: of dimensions of more than one entry; none where it is empty."""
    if not tensor.numel() or tensor.layout is not torch.strided:
        return ()
    return tuple(s for s, n in zip(tensor.stride(), tensor.shape, strict=True) if n > 1)


def first_line(error: BaseException) -> str:
    """The first line of torch's error message."""
    return (str(error).strip().splitlines() or [type(error).__name__])[0][:200]
