"""Gather, slice, split, concat, top-k, einsum."""

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from core.wings.importing.onnx.call import NodeCall
from core.wings.importing.onnx.ops.elementwise import dtype_of, in_dtype
from core.wings.importing.onnx.ops.layers import filled
from core.wings.importing.onnx.shape_values import slice_arguments
from core.wings.importing.tracing.symint import Size


def _slice(call: NodeCall) -> Tensor:
    x = call.tensor(0)
    for place in range(1, len(call)):
        call.numbers(place)
    starts, ends, axes, steps = slice_arguments(call.node, call.given[1:], x.dim())
    index: list[Any] = [slice(None)] * (max(axes, default=-1) + 1)
    turned: list[int] = []
    for start, end, axis, step in zip(starts, ends, axes, steps, strict=True):
        if int(step) < 0:
            if axis == 0:
                raise call.node.refuse("runs backwards over the batch.")
            start, end = _turned(call, int(start), int(end), int(step), int(x.shape[axis]))
            turned.append(axis)
            step = -int(step)
        index[axis] = _part(start, end, int(step), int(x.shape[axis]))
    x = torch.flip(x, turned) if turned else x
    return x if all(i == slice(None) for i in index) else x[tuple(index)]


def _turned(call: NodeCall, start: int, end: int, step: int, size: int) -> tuple[int, int]:
    """The bounds of a slice with a negative step, in the flipped tensor."""
    start = min(start + size if start < 0 else start, size - 1)
    end = -1 if end < -size else end + size if end < 0 else end
    call.fix(f"{call.node.place} runs backwards over a size of {size}")
    return size - 1 - start, size - 1 - end


def _part(start: Any, end: Any, step: int, size: int) -> slice:
    begin = None if not isinstance(start, Size) and int(start) in (0, -size) else start
    whole = not isinstance(end, Size) and int(end) >= size
    return slice(begin, None if whole else end, None if step == 1 else step)


def _gather(call: NodeCall) -> Tensor:
    axis, index = call.get("axis", 0), call.known(1)
    table = call.known(0)
    if table is not None and index is None and axis == 0 and _is_table(table):
        return _embedded(call, table)
    x = call.tensor(0)
    axis = axis % x.dim()
    if index is not None:
        return _picked(call, x, index, axis)
    places = call.tensor(1)
    places = places if places.dtype in (torch.int64, torch.int32) else places.long()
    flat = torch.index_select(x, axis, places if places.dim() == 1 else places.reshape(-1))
    if places.dim() == 1:
        return flat
    return flat.reshape([*x.shape[:axis], *places.shape, *x.shape[axis + 1 :]])


def _is_table(values: Any) -> bool:
    return values.ndim == 2 and values.dtype.kind == "f"


def _embedded(call: NodeCall, table: Any) -> Tensor:
    def make() -> nn.Module:
        return filled(nn.Embedding(*table.shape), weight=table)

    return call.layer(make, "embed", 0)(call.tensor(1))


def _picked(call: NodeCall, x: Tensor, index: Any, axis: int) -> Tensor:
    numbers = [int(n) for n in index.reshape(-1)]
    if index.ndim == 0:
        return x.select(axis, numbers[0])
    size = int(x.shape[axis])
    numbers = [n % size for n in numbers]
    run = numbers == list(range(numbers[0], numbers[0] + len(numbers))) if numbers else False
    if index.ndim == 1 and run:
        return x.narrow(axis, numbers[0], len(numbers))
    positive = np.array(numbers, dtype=np.int64)
    call.given[1] = positive
    result = torch.index_select(x, axis, call.tensor(1))
    if index.ndim == 1:
        return result
    return result.reshape([*x.shape[:axis], *index.shape, *x.shape[axis + 1 :]])


def _elements(call: NodeCall) -> Tensor:
    x, found = call.tensor(0), call.known(1)
    axis = call.get("axis", 0) % x.dim()
    if found is not None:  # torch counts none from the end
        call.given[1] = np.where(found < 0, found + int(x.shape[axis]), found).astype(np.int64)
    return torch.gather(x, axis, call.tensor(1))


def _split(call: NodeCall) -> Any:
    x, axis = call.tensor(0), call.get("axis", 0)
    axis = axis % x.dim()
    sizes, count = call.numbers(1, "split"), len(call.node.outputs)
    if sizes is None:
        each = -(-int(x.shape[axis]) // count)
        return torch.split(x, each, axis)
    if len({int(s) for s in sizes}) == 1:
        return torch.split(x, int(sizes[0]), axis)
    return torch.split(x, [int(s) for s in sizes], axis)


def _concat(call: NodeCall) -> Tensor:
    parts = [call.tensor(i) for i in range(len(call))]
    return parts[0] if len(parts) == 1 else torch.cat(parts, call.get("axis", 1))


def _top(call: NodeCall) -> Any:
    x, (k,) = call.tensor(0), call.numbers(1, "k") or [1]
    axis, largest = call.get("axis", -1), bool(call.get("largest", 1))
    if axis % x.dim() == 0:
        raise call.node.refuse(f"takes {int(k)} of the samples.")
    if not call.reads(1):
        return tuple(torch.topk(x, int(k), axis, largest))
    result = torch.sort(x, stable=True, dim=axis, descending=largest)  # of equal ones the first
    return tuple(part.narrow(axis, 0, int(k)) for part in result)


def _einsum(call: NodeCall) -> Tensor:
    return torch.einsum(call.get("equation"), *(call.tensor(i) for i in range(len(call))))


def _one_hot(call: NodeCall) -> Tensor:
    depth, values = call.scalar(1), call.known(2)
    if values is None:
        raise call.node.refuse("writes numbers calculated from data.")
    low, high = values.reshape(-1).tolist()
    x, axis = call.tensor(0), call.get("axis", -1)
    result = F.one_hot(x.to(torch.int64) if x.dtype != torch.int64 else x, int(depth))
    last = axis in (-1, result.dim() - 1)
    result = result if last else torch.movedim(result, -1, axis)
    result = in_dtype(result, dtype_of(call, 2))
    if (low, high) in ((0, 1), (False, True)):
        return result
    return torch.logical_not(result) if low is True else result * (high - low) + low


def _cumulate(call: NodeCall) -> Tensor:
    axis, x, back = int(call.scalar(1)), call.tensor(0), bool(call.get("reverse"))
    axis = axis % x.dim()
    x = torch.flip(x, [axis]) if back else x
    result = (torch.cumsum if call.node.op == "CumSum" else torch.cumprod)(x, axis)
    result = in_dtype(result, x.dtype)
    if call.get("exclusive") and call.node.op == "CumSum":
        result = result - x
    elif call.get("exclusive"):
        first = torch.ones_like(result.narrow(axis, 0, 1))
        result = torch.cat([first, result.narrow(axis, 0, result.shape[axis] - 1)], axis)
    return torch.flip(result, [axis]) if back else result


def _triangle(call: NodeCall) -> Tensor:
    k = int(call.scalar(1) or 0) if call.has(1) else 0
    return (torch.triu if call.get("upper", 1) else torch.tril)(call.tensor(0), k)


def _affine(call: NodeCall) -> Tensor:
    theta, sizes = call.tensor(0), call.numbers(1) or []
    return F.affine_grid(
        theta, [theta.shape[0], *sizes[1:]], align_corners=bool(call.get("align_corners", 0))
    )


def _grid(call: NodeCall) -> Tensor:
    names = {"linear": "bilinear", "cubic": "bicubic"}
    mode = str(call.get("mode", "bilinear"))
    return F.grid_sample(
        call.tensor(0),
        call.tensor(1),
        mode=names.get(mode, mode),
        padding_mode=call.get("padding_mode", "zeros"),
        align_corners=bool(call.get("align_corners", 0)),
    )


OPERATIONS: dict[str, Callable[[NodeCall], Any]] = {
    "Slice": _slice,
    "Gather": _gather,
    "GatherElements": _elements,
    "Split": _split,
    "Concat": _concat,
    "TopK": _top,
    "Einsum": _einsum,
    "OneHot": _one_hot,
    "CumSum": _cumulate,
    "CumProd": _cumulate,
    "Trilu": _triangle,
    "GridSample": _grid,
    "AffineGrid": _affine,
}
