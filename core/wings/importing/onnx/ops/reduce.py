"""Reductions over axes: sums, means, extremes, norms."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from core.wings.importing.onnx.call import NodeCall
from core.wings.importing.onnx.ops.elementwise import in_dtype


def _axes(call: NodeCall, x: Tensor) -> list[int]:
    axes = call.numbers(1, "axes")
    if not axes:
        return [] if call.get("noop_with_empty_axes") else list(range(x.dim()))
    return sorted(int(a) % x.dim() for a in axes)


def _reduce(function: Callable[[Tensor, Any, bool], Tensor]) -> Callable[[NodeCall], Tensor]:
    def run(call: NodeCall) -> Tensor:
        x = call.tensor(0)
        axes, keep = _axes(call, x), bool(call.get("keepdims", 1))
        if not axes:
            return _none(call, x)
        return in_dtype(function(x, tuple(axes) if len(axes) > 1 else axes[0], keep), x.dtype)

    return run


def _none(call: NodeCall, x: Tensor) -> Tensor:
    """A reduction over no axis: each element by itself."""
    if call.node.op in ("ReduceL1", "ReduceL2"):
        return torch.abs(x)
    if call.node.op == "ReduceSumSquare":
        return torch.square(x)
    if call.node.op == "ReduceLogSum":
        return torch.log(x)
    return x


def _mean(call: NodeCall) -> Tensor:
    x = call.tensor(0)
    axes, keep = _axes(call, x), bool(call.get("keepdims", 1))
    kind = call.plan.hints.get(call.number, ("", ""))[1]
    pools: dict[int, Any] = {
        3: nn.AdaptiveAvgPool1d,
        4: nn.AdaptiveAvgPool2d,
        5: nn.AdaptiveAvgPool3d,
    }
    whole = keep and axes == list(range(2, x.dim())) and x.dim() in pools
    if whole and kind.rpartition(".")[2].startswith("AdaptiveAvgPool"):
        return call.layer(lambda: pools[x.dim()](1), "pool")(x)
    if not axes:
        return x
    return torch.mean(x, tuple(axes) if len(axes) > 1 else axes[0], keep)


def _product(call: NodeCall) -> Tensor:
    x = call.tensor(0)
    keep, dtype = bool(call.get("keepdims", 1)), x.dtype
    for axis in _axes(call, x)[::-1]:
        x = torch.prod(x, axis, keep)
    return in_dtype(x, dtype)


def _place(function: Any) -> Callable[[NodeCall], Tensor]:
    def run(call: NodeCall) -> Tensor:
        x, axis, keep = call.tensor(0), call.get("axis", 0), bool(call.get("keepdims", 1))
        axis = axis % x.dim()
        if not call.get("select_last_index"):
            return function(x, axis, keep)
        if axis == 0:
            raise call.node.refuse("takes the last of equal samples of the batch.")
        return torch.neg(function(torch.flip(x, [axis]), axis, keep)) + (int(x.shape[axis]) - 1)

    return run


def _normalise(call: NodeCall) -> Tensor:
    x, order = call.tensor(0), call.get("p", 2)
    return F.normalize(x, float(order), call.get("axis", -1))


def _standardise(call: NodeCall) -> Tensor:
    x, axes = call.tensor(0), tuple(call.get("axes", [0, 2, 3]))
    centred = x - torch.mean(x, axes, True)
    return centred / (torch.sqrt(torch.mean(torch.square(centred), axes, True)) + 1e-9)


OPERATIONS: dict[str, Callable[[NodeCall], Any]] = {
    "ReduceSum": _reduce(lambda x, axes, keep: torch.sum(x, axes, keep)),
    "ReduceMean": _mean,
    "ReduceProd": _product,
    "ReduceMax": _reduce(lambda x, axes, keep: torch.amax(x, axes, keep)),
    "ReduceMin": _reduce(lambda x, axes, keep: torch.amin(x, axes, keep)),
    "ReduceL1": _reduce(lambda x, axes, keep: torch.linalg.vector_norm(x, 1, axes, keep)),
    "ReduceL2": _reduce(lambda x, axes, keep: torch.linalg.vector_norm(x, 2, axes, keep)),
    "ReduceLogSum": _reduce(lambda x, axes, keep: torch.log(torch.sum(x, axes, keep))),
    "ReduceLogSumExp": _reduce(lambda x, axes, keep: torch.logsumexp(x, axes, keep)),
    "ReduceSumSquare": _reduce(lambda x, axes, keep: torch.sum(torch.square(x), axes, keep)),
    "ArgMax": _place(torch.argmax),
    "ArgMin": _place(torch.argmin),
    "LpNormalization": _normalise,
    "MeanVarianceNormalization": _standardise,
}
