"""Resize by an interpolation matrix for each axis: every coordinate mode that ONNX defines.

Resizing is linear and separable, so what torch's interpolate does otherwise is a product with a
matrix of weights per axis. It holds for one size.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from core.wings.importing.onnx.call import NodeCall, plain_number
from core.wings.importing.onnx.reader import Array


@dataclass(frozen=True)
class AxisResize:
    """How an axis is resized. scale: of its size. region: the part of it, for a crop."""

    mode: str
    at: str
    rounding: str
    slope: float
    inside: bool
    smooth: bool
    scale: float
    region: tuple[float, float] = (0.0, 1.0)


def resampled(call: NodeCall, x: Tensor, scales: dict[int, float], wanted: list[Any]) -> Tensor:
    """Resize each axis by its scale. Raises ImportRefused for the batch axis."""
    for axis, scale in scales.items():
        size, new = int(x.shape[axis]), int(wanted[axis])
        region = _region(call, axis, x.dim(), list(scales))
        if size == new and scale == 1 and region == (0.0, 1.0):
            continue
        if axis == 0:
            raise call.node.refuse("resizes the number of samples.")
        call.fix(f"{call.node.place} resizes a size of {size} to {new}")
        x = _along(call, x, axis, new, _way(call, scale, region))
    return x


def _way(call: NodeCall, scale: float, region: tuple[float, float]) -> AxisResize:
    old = call.node.op == "Upsample" or call.node.opset < 11
    return AxisResize(
        call.get("mode", "nearest"),
        call.get("coordinate_transformation_mode", "asymmetric" if old else "half_pixel"),
        call.get("nearest_mode", "floor" if old else "round_prefer_floor"),
        call.get("cubic_coeff_a", -0.75),
        bool(call.get("exclude_outside")),
        bool(call.get("antialias")),
        scale,
        region,
    )


def _region(call: NodeCall, axis: int, rank: int, axes: list[int]) -> tuple[float, float]:
    """The start and end of a crop, as fractions of the size."""
    if call.get("coordinate_transformation_mode") != "tf_crop_and_resize":
        return 0.0, 1.0
    found = call.known(1)
    if found is None:
        raise call.node.refuse("crops a part that depends on the data.")
    at, count = (axes.index(axis), len(axes)) if call.get("axes") else (axis, rank)
    return float(found[at]), float(found[count + at])


def _along(call: NodeCall, x: Tensor, axis: int, new: int, way: AxisResize) -> Tensor:
    size, last = int(x.shape[axis]), x.dim() - 1
    places = _places(size, new, way)
    outside = ((places < 0) | (places > size - 1)) & (way.at == "tf_crop_and_resize")
    beyond = bool(outside.any())
    if way.mode == "nearest" and not beyond:
        near = np.clip(ROUNDED[way.rounding](places), 0, size - 1).astype(np.int64)
        return torch.index_select(x, axis, call.constant(f"places{axis}", near))
    shares = np.stack([_shares(place, size, way) for place in places], 1)  # (size, new)
    if beyond:
        shares[:, outside] = 0.0
    x = x if axis == last else x.transpose(axis, last)
    x = torch.matmul(x, call.constant(f"shares{axis}", shares.astype(np.float32)))
    value = call.get("extrapolation_value", 0.0)
    if beyond and value:
        filled = np.where(outside, value, 0.0).astype(np.float32)
        x = x + call.constant(f"beyond{axis}", filled)
    return x if axis == last else x.transpose(axis, last)


def _places(size: int, new: int, way: AxisResize) -> Array:
    """Coordinates of each new entry among the old ones."""
    y, whole = np.arange(new, dtype=np.float64), way.scale * size
    centre = (y + 0.5) / way.scale - 0.5
    if way.at == "asymmetric":
        return y / way.scale
    if way.at == "align_corners":
        return y * 0 if whole == 1 else y * (size - 1) / (whole - 1)
    if way.at == "tf_crop_and_resize":
        begin, end = way.region
        if whole == 1:
            return y * 0 + (begin + end) * (size - 1) / 2
        return begin * (size - 1) + y * (end - begin) * (size - 1) / (whole - 1)
    if way.at == "half_pixel_symmetric":
        return size / 2 * (1 - new / whole) + centre
    return y * 0 - 0.5 if way.at == "pytorch_half_pixel" and whole == 1 else centre


ROUNDED: dict[str, Any] = {
    "floor": np.floor,
    "ceil": np.ceil,
    "round_prefer_floor": lambda x: np.ceil(x - 0.5),
    "round_prefer_ceil": lambda x: np.floor(x + 0.5),
}


def _shares(place: float, size: int, way: AxisResize) -> Array:
    """The weight of each old entry in a new one; beyond an edge, that of the edge counts."""
    result = np.zeros(size)
    if way.mode == "nearest":
        result[int(np.clip(ROUNDED[way.rounding](place), 0, size - 1))] = 1.0
        return result
    narrow = min(way.scale, 1.0) if way.smooth else 1.0
    reach = (1 if way.mode == "linear" else 2) / narrow
    near = np.arange(math.floor(place - reach), math.ceil(place + reach) + 1)
    weights = _kernel(np.abs(near - place) * narrow, way)
    if way.inside:
        weights = np.where((near < 0) | (near >= size), 0.0, weights)
    np.add.at(result, np.clip(near, 0, size - 1), weights / (weights.sum() or 1.0))
    return result


def _kernel(t: Array, way: AxisResize) -> Array:
    if way.mode == "linear":
        return np.maximum(1 - t, 0.0)
    a = way.slope
    inner = ((a + 2) * t - (a + 3)) * t * t + 1
    outer = ((a * t - 5 * a) * t + 8 * a) * t - 4 * a
    return np.where(t <= 1, inner, np.where(t < 2, outer, 0.0))


def _resize(call: NodeCall) -> Tensor:
    x, old = call.tensor(0), call.node.op == "Upsample" or call.node.opset < 11
    scales, wanted = _sizes(call, x, old)
    mode = "" if _lone(call, x, wanted) else _mode(call, x, old)
    kept = all(scales.get(a, 1.0) == 1 for a in (0, 1))
    ragged = [a for a, s in scales.items() if abs(s * int(x.shape[a]) - int(wanted[a])) > 1e-4]
    align = call.get("coordinate_transformation_mode") == "align_corners"
    corners = {} if mode.startswith("nearest") else {"align_corners": align}
    factors = [s for axis, s in scales.items() if axis > 1]
    given = not call.has(3) and call.get("keep_aspect_ratio_policy", "stretch") == "stretch"
    even = given and len(set(factors)) == 1 and len(factors) == x.dim() - 2
    cut = ragged and (align or not even)
    if not mode or not kept or cut or _ties(call, mode, x, wanted):
        return resampled(call, x, scales, wanted)
    if even:
        scale = factors[0]
        return call.layer(lambda: nn.Upsample(scale_factor=scale, mode=mode, **corners), "resize")(
            x
        )
    return F.interpolate(x, wanted[2:], mode=mode, **corners)


def _sizes(call: NodeCall, x: Tensor, old: bool) -> tuple[dict[int, float], list[Any]]:
    """The scale of each axis, and all output sizes."""
    scales = _fractions(call, 1 if old else 2) or call.get("scales")
    if len(call) == 2 and call.node.op == "Resize" and not old:
        scales = _fractions(call, 1)
    sizes = list(call.numbers(3) or []) if call.has(3) else None
    axes = [int(a) % x.dim() for a in call.get("axes") or range(len(scales or sizes or []))]
    wanted: list[Any] = list(x.shape)
    if not sizes:
        for axis, scale in zip(axes, scales or [], strict=True):
            wanted[axis] = _scaled(x.shape[axis], scale)
        return dict(zip(axes, scales or [], strict=True)), wanted
    if axes[0] == 0 and int(sizes[0]) == call.plan.batch:
        sizes[0] = x.shape[0]  # the samples, however many they are
    each = [int(n) / int(x.shape[a]) for a, n in zip(axes, sizes, strict=True)]
    policy = call.get("keep_aspect_ratio_policy", "stretch")
    if policy != "stretch":
        each = [(min if policy == "not_larger" else max)(each)] * len(each)
        sizes = [int(int(x.shape[a]) * s + 0.5) for a, s in zip(axes, each, strict=True)]
    for axis, new in zip(axes, sizes, strict=True):
        wanted[axis] = x.shape[axis] if int(new) == int(x.shape[axis]) else new
    return dict(zip(axes, each, strict=True)), wanted


def _lone(call: NodeCall, x: Tensor, wanted: list[Any]) -> bool:
    """Whether an axis is resized to size 1: ONNX takes the first entry, torch the middle."""
    at = call.get("coordinate_transformation_mode")
    sizes = zip(x.shape, wanted, strict=True)
    return at == "pytorch_half_pixel" and any(int(n) == 1 < int(o) for o, n in sizes)


def _ties(call: NodeCall, mode: str, x: Tensor, wanted: list[Any]) -> bool:
    """Whether a coordinate is halfway between two: torch rounds up, ONNX down by default."""
    if mode != "nearest-exact" or call.get("nearest_mode") == "round_prefer_ceil":
        return False
    return any(
        (2 * i + 1) * int(old) % (2 * int(new)) == 0
        for old, new in zip(x.shape[2:], wanted[2:], strict=True)
        for i in range(int(new))
    )


def _fractions(call: NodeCall, place: int) -> list[float] | None:
    found = call.known(place) if call.has(place) else None
    if found is None or not found.size:
        return None
    return [float(plain_number(found.reshape(-1)[i : i + 1])) for i in range(found.size)]


def _scaled(size: Any, scale: float) -> Any:
    if scale == 1:
        return size
    return size * int(scale) if float(scale).is_integer() else int(int(size) * scale)


def _mode(call: NodeCall, x: Tensor, old: bool) -> str:
    """The mode of F.interpolate with the same result, "" for none."""
    mode, rank = call.get("mode", "nearest"), x.dim() - 2
    if call.get("antialias"):  # torch's looks at no entries beyond an edge
        return ""
    at = call.get("coordinate_transformation_mode", "asymmetric" if old else "half_pixel")
    if mode == "nearest":
        rounding = call.get("nearest_mode", "floor" if old else "round_prefer_floor")
        if at == "asymmetric" and rounding == "floor":
            return "nearest"
        if at in ("half_pixel", "pytorch_half_pixel") and rounding.startswith("round"):
            return "nearest-exact"
    elif at not in ("half_pixel", "pytorch_half_pixel", "align_corners"):
        return ""
    elif mode == "linear":
        return {1: "linear", 2: "bilinear", 3: "trilinear"}.get(rank, "linear")
    elif mode == "cubic" and rank == 2:
        usual = abs(call.get("cubic_coeff_a", -0.75) + 0.75) < 1e-6
        if usual and not call.get("exclude_outside"):
            return "bicubic"
    return ""


OPERATIONS: dict[str, Callable[[NodeCall], Any]] = {"Resize": _resize, "Upsample": _resize}
