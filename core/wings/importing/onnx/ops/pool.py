"""Padding and pooling: ONNX pads each side by its own number, torch's layers both by one."""

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from core.wings.importing.onnx.call import NodeCall


def simple(sizes: Any) -> Any:
    """One number if all are equal, as torch allows."""
    sizes = tuple(int(s) for s in sizes)
    return sizes[0] if len(set(sizes)) == 1 else sizes


def pads_of(call: NodeCall, x: Tensor, kernel: list[int]) -> tuple[list[int], list[int]]:
    """Padding before and after, for each spatial dimension."""
    rank, mode = len(kernel), call.get("auto_pad", "NOTSET")
    if mode in ("NOTSET", "VALID"):
        pads = call.get("pads", [0] * 2 * rank) if mode == "NOTSET" else [0] * 2 * rank
        return list(pads[:rank]), list(pads[rank:])
    strides, dilations = call.get("strides", [1] * rank), call.get("dilations", [1] * rank)
    low: list[int] = []
    high: list[int] = []
    for size, k, s, d in zip(x.shape[2:], kernel, strides, dilations, strict=True):
        reach = (k - 1) * d + 1
        total = reach - 1 if s == 1 else max((-(-int(size) // s) - 1) * s + reach - int(size), 0)
        if s != 1:
            call.fix(f"{call.node.place} pads an image of {int(size)} to the same size")
        less = total // 2
        low.append(less if mode == "SAME_UPPER" else total - less)
        high.append(total - less if mode == "SAME_UPPER" else less)
    return low, high


def _each(low: list[int], high: list[int]) -> list[int]:
    """Padding in F.pad's order: the last dimension first."""
    return [p for pair in zip(low[::-1], high[::-1], strict=True) for p in pair]


def padded(
    call: NodeCall, x: Tensor, kernel: list[int], value: float = 0.0
) -> tuple[Tensor, list[int]]:
    """Pad what a layer cannot: returns the image and the padding left to the layer."""
    low, high = pads_of(call, x, kernel)
    if low == high:
        return x, low
    each = _each(low, high)
    return (F.pad(x, each) if value == 0 else F.pad(x, each, value=value)), [0] * len(kernel)


POOLS: dict[str, dict[int, Any]] = {
    "MaxPool": {1: nn.MaxPool1d, 2: nn.MaxPool2d, 3: nn.MaxPool3d},
    "AveragePool": {1: nn.AvgPool1d, 2: nn.AvgPool2d, 3: nn.AvgPool3d},
    "LpPool": {1: nn.LPPool1d, 2: nn.LPPool2d, 3: nn.LPPool3d},
    "GlobalAveragePool": {
        1: nn.AdaptiveAvgPool1d,
        2: nn.AdaptiveAvgPool2d,
        3: nn.AdaptiveAvgPool3d,
    },
    "GlobalMaxPool": {1: nn.AdaptiveMaxPool1d, 2: nn.AdaptiveMaxPool2d, 3: nn.AdaptiveMaxPool3d},
}
LOWEST = torch.finfo(torch.float32).min


def _pool(call: NodeCall) -> Tensor:
    x, kernel = call.tensor(0), list(call.get("kernel_shape"))
    kind = POOLS[call.node.op].get(len(kernel))
    if kind is None:
        raise call.node.refuse(f"pools over {len(kernel)} dimensions, but torch over 1 to 3.")
    if any(call.node.outputs[1:]) or call.get("storage_order"):
        raise call.node.refuse("outputs the indices of its maxima, which torch counts differently.")
    if call.node.op == "MaxPool":
        return _maximum(call, kind, x, kernel)
    return (
        _average(call, kind, x, kernel)
        if call.node.op == "AveragePool"
        else _lp(call, kind, x, kernel)
    )


def _steps(call: NodeCall, kernel: list[int]) -> Any:
    """The stride; None if it equals the kernel size, torch's default."""
    strides = call.get("strides", [1] * len(kernel))
    return None if list(strides) == kernel else simple(strides)


def _maximum(call: NodeCall, kind: Any, x: Tensor, kernel: list[int]) -> Tensor:
    x, padding = padded(call, x, kernel, LOWEST)
    if any(2 * p > k for p, k in zip(padding, kernel, strict=True)):
        each = [p for p in padding[::-1] for _ in "ab"]
        x, padding = F.pad(x, each, value=LOWEST), [0] * len(kernel)
    ones = [1] * len(kernel)

    def make() -> nn.Module:
        return kind(
            simple(kernel),
            _steps(call, kernel),
            simple(padding),
            simple(call.get("dilations", ones)),
            ceil_mode=bool(call.get("ceil_mode", 0)),
        )

    return call.layer(make, "pool")(x)


def _average(call: NodeCall, kind: Any, x: Tensor, kernel: list[int]) -> Tensor:
    low, high = pads_of(call, x, kernel)
    counts, ones = bool(call.get("count_include_pad", 0)), [1] * len(kernel)
    if max(call.get("dilations", ones)) > 1:
        raise call.node.refuse("averages with dilation, which torch's layer does not support.")
    wide = any(2 * p > k for p, k in zip(low, kernel, strict=True))
    uneven = low != high or wide
    if call.get("ceil_mode") and (uneven or (counts and any(low))):
        raise call.node.refuse(
            "averages over padding at a partial edge, where torch divides differently."
        )
    ones_like = torch.ones_like(x) if uneven and not counts else None
    if uneven:
        x, low = F.pad(x, _each(low, high)), [0] * len(kernel)

    def make() -> nn.Module:
        return kind(
            simple(kernel),
            _steps(call, kernel),
            simple(low),
            bool(call.get("ceil_mode", 0)),
            counts or not any(low),
        )

    layer = call.layer(make, "pool")
    if ones_like is None:
        return layer(x)
    sides = pads_of(call, ones_like, kernel)
    return layer(x) / layer(F.pad(ones_like, _each(*sides)))  # what is padding counts for nothing


def _lp(call: NodeCall, kind: Any, x: Tensor, kernel: list[int]) -> Tensor:
    x, padding = padded(call, torch.abs(x), kernel)
    if any(padding):
        each = [p for p in padding[::-1] for _ in "ab"]
        x = F.pad(x, each)
    strides = call.get("strides", [1] * len(kernel))
    if max(call.get("dilations", [1])) > 1:
        raise call.node.refuse("pools with dilation, which torch's layer does not support.")

    def make() -> nn.Module:
        return kind(
            call.get("p", 2),
            simple(kernel),
            simple(strides),
            ceil_mode=bool(call.get("ceil_mode", 0)),
        )

    return call.layer(make, "pool")(x)


def _global(call: NodeCall) -> Tensor:
    x = call.tensor(0)
    kind = POOLS[call.node.op].get(x.dim() - 2)
    if kind is None:
        raise call.node.refuse(f"pools over {x.dim() - 2} dimensions, but torch over 1 to 3.")
    return call.layer(lambda: kind(1), "pool")(x)


MODES = {"constant": "constant", "reflect": "reflect", "edge": "replicate", "wrap": "circular"}


def _pad(call: NodeCall) -> Tensor:
    x, pads = call.tensor(0), call.numbers(1, "pads") or call.get("paddings") or []
    half = len(pads) // 2
    axes = call.numbers(3) if call.has(3) else range(x.dim())
    before, after = [0] * x.dim(), [0] * x.dim()
    for i, axis in enumerate(axes or []):
        before[int(axis) % x.dim()], after[int(axis) % x.dim()] = pads[i], pads[half + i]
    each = _each(before, after)
    while len(each) > 2 and not each[-1] and not each[-2]:
        each = each[:-2]
    if not any(each):
        return x
    mode = MODES.get(call.get("mode", "constant"))
    if mode is None:
        raise call.node.refuse(f"pads by {call.get('mode')}, which torch does not support.")
    if mode != "constant":
        image = x.is_floating_point() and x.dim() in (3, 4, 5) and len(each) == 2 * (x.dim() - 2)
        inside = all(abs(p) < int(n) for p, n in zip(each[::2], x.shape[::-1], strict=False))
        return F.pad(x, each, mode) if image and inside else _gathered(call, x, before, after)
    value = call.scalar(2, "value", 0.0)
    return F.pad(x, each, value=value) if value else F.pad(x, each)


def _gathered(call: NodeCall, x: Tensor, before: list[int], after: list[int]) -> Tensor:
    """Pad by indexing, if F.pad does not take such a tensor."""
    mode = call.get("mode")
    if before[0] or after[0]:
        raise call.node.refuse("pads samples.")
    for axis, (low, high) in enumerate(zip(before, after, strict=True)):
        if not low and not high:
            continue
        size = int(x.shape[axis])
        call.fix(f"{call.node.place} pads a size of {size} by its own entries")
        places = np.pad(np.arange(size), (max(low, 0), max(high, 0)), mode)
        places = places[max(-low, 0) : len(places) - max(-high, 0)]
        x = torch.index_select(x, axis, call.constant(f"places{axis}", places))
    return x


def _centred(call: NodeCall) -> Tensor:
    """Centre crop or pad to a size; of an odd rest the far side gets one more."""
    x, sizes = call.tensor(0), call.numbers(1) or []
    axes = [int(a) % x.dim() for a in call.get("axes") or range(x.dim())]
    before, after = [0] * x.dim(), [0] * x.dim()
    for axis, new in zip(axes, sizes, strict=True):
        if axis == 0:
            if int(new) == call.plan.batch:
                continue
            raise call.node.refuse("cuts or pads the number of samples.")
        more = int(new) - int(x.shape[axis])
        sign = 1 if more > 0 else -1
        before[axis] = sign * (abs(more) // 2)
        after[axis] = more - before[axis]
        call.fix(f"{call.node.place} brings a size of {int(x.shape[axis])} to {int(new)}")
    each = _each(before, after)
    while len(each) > 2 and not any(each[-2:]):
        each = each[:-2]
    return F.pad(x, each) if any(each) else x


def _folded(call: NodeCall) -> Tensor:
    """Col2Im: columns back into an image (nn.Fold)."""
    image, kernel = call.numbers(1) or [], call.numbers(2) or []
    pads = call.get("pads", [0] * 2 * len(kernel))
    if len(kernel) != 2 or pads[:2] != pads[2:]:
        raise call.node.refuse("has patches without an image, or uneven padding.")

    def make() -> nn.Module:
        return nn.Fold(
            simple(image),
            simple(kernel),
            simple(call.get("dilations", [1, 1])),
            simple(pads[:2]),
            simple(call.get("strides", [1, 1])),
        )

    return call.layer(make, "fold")(call.tensor(0))


OPERATIONS: dict[str, Callable[[NodeCall], Any]] = {
    "MaxPool": _pool,
    "AveragePool": _pool,
    "LpPool": _pool,
    "GlobalAveragePool": _global,
    "GlobalMaxPool": _global,
    "Pad": _pad,
    "Col2Im": _folded,
    "CenterCropPad": _centred,
}
