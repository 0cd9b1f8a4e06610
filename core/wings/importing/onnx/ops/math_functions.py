"""Mathematical functions without a block, in terms of those with one."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from core.wings.importing.onnx.call import NodeCall

LARGEST = torch.finfo(torch.float32).max
"""What every finite number lies below or at."""


def _arc_sine(x: Tensor) -> Tensor:
    return torch.atan2(x, torch.sqrt((1 - x) * (1 + x)))


def _arc_cosine(x: Tensor) -> Tensor:
    return torch.atan2(torch.sqrt((1 - x) * (1 + x)), x)


def _area_sine(x: Tensor) -> Tensor:
    """asinh as ln(x + sqrt(x^2 + 1)), without its loss of digits near 0 and below."""
    size, square = torch.abs(x), torch.square(x)
    return torch.sign(x) * torch.log1p(size + square / (1 + torch.sqrt(square + 1)))


def _area_cosine(x: Tensor) -> Tensor:
    return torch.log(x + torch.sqrt(x - 1) * torch.sqrt(x + 1))


def _area_tangent(x: Tensor) -> Tensor:
    return (torch.log1p(x) - torch.log1p(-x)) * 0.5


def _infinite(call: NodeCall) -> Tensor:
    x = call.tensor(0)
    above, below = call.get("detect_positive", 1), call.get("detect_negative", 1)
    if above and below:
        return torch.gt(torch.abs(x), LARGEST)
    if not above and not below:
        raise call.node.refuse("looks for no infinity at all.")
    return torch.gt(x, LARGEST) if above else torch.lt(x, -LARGEST)


def _one(function: Callable[[Tensor], Tensor]) -> Callable[[NodeCall], Tensor]:
    return lambda call: function(call.tensor(0))


OPERATIONS: dict[str, Callable[[NodeCall], Any]] = {
    "Asin": _one(_arc_sine),
    "Acos": _one(_arc_cosine),
    "Asinh": _one(_area_sine),
    "Acosh": _one(_area_cosine),
    "Atanh": _one(_area_tangent),
    "IsInf": _infinite,
}
