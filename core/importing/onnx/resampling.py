"""Resize by a matrix for each axis: every way of reading between pixels that ONNX defines.

Resizing is linear and works axis by axis, so what torch's interpolation does otherwise is a
product with a matrix of the shares that each old entry has in each new one. It holds for one size.
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor

from core.importing.onnx.call import Call
from core.importing.onnx.read import Array


@dataclass(frozen=True)
class Way:
    """How an axis is resized. scale: of its size. region: the part of it, for a crop."""

    mode: str
    at: str
    rounding: str
    slope: float
    inside: bool
    smooth: bool
    scale: float
    region: tuple[float, float] = (0.0, 1.0)


def resampled(call: Call, x: Tensor, scales: dict[int, float], wanted: list[Any]) -> Tensor:
    """Resize each axis by its scale. Raises ImportRefused for samples."""
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


def _way(call: Call, scale: float, region: tuple[float, float]) -> Way:
    old = call.node.op == "Upsample" or call.node.opset < 11
    return Way(
        call.get("mode", "nearest"),
        call.get("coordinate_transformation_mode", "asymmetric" if old else "half_pixel"),
        call.get("nearest_mode", "floor" if old else "round_prefer_floor"),
        call.get("cubic_coeff_a", -0.75), bool(call.get("exclude_outside")),
        bool(call.get("antialias")), scale, region,
    )  # fmt: skip


def _region(call: Call, axis: int, rank: int, axes: list[int]) -> tuple[float, float]:
    """Where a crop begins and ends, as parts of the size."""
    if call.get("coordinate_transformation_mode") != "tf_crop_and_resize":
        return 0.0, 1.0
    found = call.known(1)
    if found is None:
        raise call.node.refuse("cuts out a part that the data decide.")
    at, count = (axes.index(axis), len(axes)) if call.get("axes") else (axis, rank)
    return float(found[at]), float(found[count + at])


def _along(call: Call, x: Tensor, axis: int, new: int, way: Way) -> Tensor:
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


def _places(size: int, new: int, way: Way) -> Array:
    """Where each new entry lies among the old ones."""
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


def _shares(place: float, size: int, way: Way) -> Array:
    """What each old entry gives to a new one; entries beyond an edge are those at the edge."""
    found = np.zeros(size)
    if way.mode == "nearest":
        found[int(np.clip(ROUNDED[way.rounding](place), 0, size - 1))] = 1.0
        return found
    narrow = min(way.scale, 1.0) if way.smooth else 1.0
    reach = (1 if way.mode == "linear" else 2) / narrow
    near = np.arange(math.floor(place - reach), math.ceil(place + reach) + 1)
    weights = _kernel(np.abs(near - place) * narrow, way)
    if way.inside:
        weights = np.where((near < 0) | (near >= size), 0.0, weights)
    np.add.at(found, np.clip(near, 0, size - 1), weights / (weights.sum() or 1.0))
    return found


def _kernel(t: Array, way: Way) -> Array:
    if way.mode == "linear":
        return np.maximum(1 - t, 0.0)
    a = way.slope
    inner = ((a + 2) * t - (a + 3)) * t * t + 1
    outer = ((a * t - 5 * a) * t + 8 * a) * t - 4 * a
    return np.where(t <= 1, inner, np.where(t < 2, outer, 0.0))
