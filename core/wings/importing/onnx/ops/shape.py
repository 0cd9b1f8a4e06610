"""Reshape, transpose, squeeze, expand. Sizes of the data stay symbolic in the drawing."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from core.wings.importing.onnx.call import NodeCall, plain_number
from core.wings.importing.onnx.ops.elementwise import dtype_of, in_dtype
from core.wings.importing.onnx.shape_values import ints
from core.wings.importing.tracing.symint import Size


def _reshape(call: NodeCall) -> Tensor:
    x = call.tensor(0)
    shape = call.numbers(1, "shape") or []
    if not call.get("allowzero"):
        shape = [x.shape[i] if int(n) == 0 else n for i, n in enumerate(shape)]
    shape = _free_batch(call, x, shape)
    sizes = [int(n) for n in x.shape]
    if call.number in call.plan.flattens:
        return _flattened(call, x)
    if len(shape) == 2 and x.dim() >= 2 and _tells(call) and _keeps_batch(call, shape[0], x):
        rest = int(shape[1])
        if rest == math.prod(sizes[1:]) or (rest == -1 and int(shape[0]) != -1):
            call.plan.flattens.add(call.number)
            return _flattened(call, x)
    return x.reshape(shape)


def _flattened(call: NodeCall, x: Tensor) -> Tensor:
    if x.dim() == 2:
        return x
    kind = call.plan.hints.get(call.number, ("", ""))[1]
    if kind.endswith(".Flatten"):
        return call.layer(nn.Flatten, "flat")(x)
    return torch.flatten(x, 1)


def _tells(call: NodeCall) -> bool:
    """Whether sizes identify the batch: not with one sample, whose 17 may be 17 * N."""
    return call.plan.building or int(call.plan.anchor.shape[0]) != 1


def _keeps_batch(call: NodeCall, first: Any, x: Tensor) -> bool:
    return int(first) == -1 or (int(first) == int(x.shape[0]) and isinstance(first, Size))


def _free_batch(call: NodeCall, x: Tensor, shape: list[Any]) -> list[Any]:
    """A size that is the file's fixed batch follows the data instead."""
    fixed = call.plan.batch
    if not shape or fixed is None or isinstance(shape[0], Size) or int(shape[0]) != fixed:
        return shape
    rest = [int(n) for n in shape[1:]]
    each = math.prod(int(n) for n in x.shape[1:])
    if -1 in rest and each % -math.prod(rest):
        return shape
    if -1 not in rest and each != math.prod(rest):
        return shape
    if call.plan.building and int(x.shape[0]) == fixed:
        call.plan.freed.add(call.number)
    if call.number not in call.plan.freed:
        return shape
    if -1 in rest:
        return [x.shape[0], *shape[1:]]
    return [-1, *shape[1:]]


def _flatten(call: NodeCall) -> Tensor:
    x, axis = call.tensor(0), call.get("axis", 1)
    axis = axis % x.dim() if axis < 0 else axis
    if axis == 1:
        if x.dim() == 2:
            return x
        kind = call.plan.hints.get(call.number, ("", ""))[1]
        return (
            call.layer(nn.Flatten, "flat")(x) if kind.endswith("Flatten") else torch.flatten(x, 1)
        )
    if axis == 0:
        return x.reshape([1, -1])
    return torch.flatten(torch.flatten(x, axis), 0, axis - 1)


def _transpose(call: NodeCall) -> Tensor:
    x = call.tensor(0)
    order = call.get("perm") or list(range(x.dim()))[::-1]
    moved = [i for i, n in enumerate(order) if i != n]
    if not moved:
        return x
    return x.transpose(*moved) if len(moved) == 2 else x.permute(*order)


def _squeeze(call: NodeCall) -> Tensor:
    x, axes = call.tensor(0), call.numbers(1, "axes")
    if axes is None:
        axes = [i for i, n in enumerate(x.shape) if int(n) == 1]
    dims = sorted({int(a) % x.dim() for a in axes})
    return x.squeeze(dims[0] if len(dims) == 1 else tuple(dims)) if dims else x


def _unsqueeze(call: NodeCall) -> Tensor:
    x, axes = call.tensor(0), call.numbers(1, "axes") or []
    for axis in sorted(int(a) % (x.dim() + len(axes)) for a in axes):
        x = x.unsqueeze(axis)
    return x


def _expand(call: NodeCall) -> Tensor:
    shape = call.numbers(1) or []
    if isinstance(call.given[0], np.ndarray):
        return _spread(call, call.given[0], shape)
    return expanded(call.tensor(0), shape)


def expanded(x: Tensor, shape: list[Any]) -> Tensor:
    """Broadcast both ways: a size of 1 keeps the existing one."""
    shape = [1] * (x.dim() - len(shape)) + list(shape)
    lead = len(shape) - x.dim()
    wanted = [
        -1 if i >= lead and (int(n) == 1 or int(n) == int(x.shape[i - lead])) else n
        for i, n in enumerate(shape)
    ]
    return x.expand(wanted) if any(not _is_kept(n) for n in wanted) else x


def _is_kept(size: Any) -> bool:
    return not isinstance(size, Size) and size == -1


def _spread(call: NodeCall, found: Any, shape: list[Any]) -> Tensor:
    """A constant expanded to sizes of the data."""
    if found.size == 1:
        ones, like = [1] * (found.ndim - len(shape)), call.plan.anchor
        kind = _kind(found) or (None if like.is_floating_point() else torch.float32)
        number = plain_number(found)
        return like.new_full([*ones, *shape], number if kind else float(number), dtype=kind)
    return expanded(call.tensor(0), shape)


def _kind(found: Any) -> torch.dtype | None:
    """The dtype of a constant; None for float32, which the data have."""
    if found.dtype == object:
        return None if isinstance(found.reshape(-1)[0], float) else torch.int64
    kind = getattr(torch, str(found.dtype))
    return None if kind in (torch.float32, torch.float16) else kind


def _filled(call: NodeCall) -> Tensor:
    value = call.get("value")
    value = np.zeros(1, dtype=np.float32) if value is None else value
    return _spread(call, value, call.numbers(0) or [])


def _range(call: NodeCall) -> Tensor:
    start, end, step = (
        ints(call.given[i])[0] if call.known(i) is not None else None for i in range(3)
    )
    if start is None or end is None or step is None:
        raise call.node.refuse("counts up to a number calculated from data.")
    if isinstance(start, Size) or isinstance(step, Size):
        call.fix(f"{call.node.place} counts from {int(start)} in steps of {int(step)}")
    count = torch.arange(int(start), end, int(step), device=call.plan.anchor.device)
    return in_dtype(count, dtype_of(call, 0))


def _tile(call: NodeCall) -> Tensor:
    x, repeats = call.tensor(0), call.numbers(1) or []
    return x.repeat(repeats) if any(isinstance(n, Size) or n != 1 for n in repeats) else x


def _depth_to_space(call: NodeCall) -> Tensor:
    x, side = call.tensor(0), call.get("blocksize")
    if call.get("mode", "DCR") == "CRD":
        return call.layer(lambda: nn.PixelShuffle(side), "shuffle")(x)
    n, c, h, w = x.shape
    x = x.reshape([n, side, side, c // side**2, h, w]).permute(0, 3, 4, 1, 5, 2)
    return x.reshape([n, c // side**2, h * side, w * side])


def _space_to_depth(call: NodeCall) -> Tensor:
    x, side = call.tensor(0), call.get("blocksize")
    n, c, h, w = x.shape
    order = (0, 1, 3, 5, 2, 4) if call.get("mode") == "CRD" else (0, 3, 5, 1, 2, 4)
    x = x.reshape([n, c, h // side, side, w // side, side]).permute(*order)
    return x.reshape([n, c * side**2, h // side, w // side])


OPERATIONS: dict[str, Callable[[NodeCall], Any]] = {
    "Reshape": _reshape,
    "Flatten": _flatten,
    "Transpose": _transpose,
    "Squeeze": _squeeze,
    "Unsqueeze": _unsqueeze,
    "Expand": _expand,
    "ConstantOfShape": _filled,
    "Range": _range,
    "Tile": _tile,
    "DepthToSpace": _depth_to_space,
    "SpaceToDepth": _space_to_depth,
    "Identity": lambda call: call.tensor(0),
}
