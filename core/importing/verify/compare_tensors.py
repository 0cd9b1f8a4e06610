"""Bitwise comparison of the results, gradients and buffers of two runs."""

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
    """How two dictionaries of tensors differ, "" if they are equal bit for bit."""
    if expected.keys() != got.keys():
        odd = sorted(expected.keys() ^ got.keys())
        return f"{kind} of {', '.join(odd[:3])} stand on one side only"
    worst = max(
        (
            float((a - got[n]).abs().max())
            for n, a in expected.items()
            if not torch.equal(a, got[n])
        ),
        default=0.0,
    )
    return f"{kind} differ by up to {worst:.1e}" if worst else ""


def difference(expected: list[Tensor], got: list[Tensor]) -> str:
    """How two lists of tensors differ, "" if they are equal bit for bit."""
    if len(expected) != len(got):
        return f"{len(got)} results instead of {len(expected)}"
    for number, (a, b) in enumerate(zip(expected, got, strict=True), 1):
        if a.shape != b.shape:
            return f"result {number} is {tuple(b.shape)} instead of {tuple(a.shape)}"
        if not torch.equal(a, b):
            return f"result {number} differs by up to {float((a - b).abs().max()):.1e}"
    return ""


def first_line(error: BaseException) -> str:
    """The first line of torch's error message."""
    return (str(error).strip().splitlines() or [type(error).__name__])[0][:200]
