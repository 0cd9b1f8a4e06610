"""A small picture of a value as data: few numbers that the canvas draws itself, in its colours."""

import base64
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional as F

from core.insight.one_sample.values import not_finite
from core.tasks.tensor_values import floats

Json = dict[str, Any]
MAPS, SIDE, WIDE, BARS = 8, 32, 96, 48
"""At most so many maps, so many pixels of each side, of one wide matrix, and so many bars."""
NO_NUMBER = 255
"""Stands for what is no number in `data`; 0 to 254 run from `low` to `high`."""


def picture(value: Any, words: str = "", is_image: bool = False) -> Json:
    """Picture what one sample puts on a wire, its batch of one left out.

    words: the text that tokens stand for. is_image: a sample that is one, shown as it looks.
    "kind" is number, words, bars, maps or image; maps have "data", (count, height, width) bytes.
    """
    if not isinstance(value, Tensor):
        return {"kind": "number", "values": [value]}
    value = of_one(value.detach())
    if words:
        return {"kind": "words", "text": words}
    if value.numel() == 0:
        return {"kind": "number", "values": []}
    if value.numel() == 1:
        return {"kind": "number", "values": [_plain(value.reshape(()).item())]}
    value = value.to(torch.float32)
    if value.dim() == 1 and len(value) <= BARS:
        return {"kind": "bars", "values": [_plain(v) for v in floats(value)]}
    maps = as_maps(value)
    if is_image and len(maps) == 3:
        return _bytes(maps, "image", 3)
    return _bytes(maps[:MAPS], "image" if is_image and len(maps) == 1 else "maps", len(maps))


def of_one(value: Tensor) -> Tensor:
    """A value without its batch of one; what has no batch (parameters, states) as it is."""
    return value[0] if value.dim() and len(value) == 1 else value


def as_maps(value: Tensor) -> Tensor:
    """Any value as maps (C, H, W): a long row is folded, leading dimensions are counted as one."""
    if value.dim() == 1:
        columns = max(1, round((4 * len(value)) ** 0.5))
        rows = -(-len(value) // columns)
        return F.pad(value, (0, rows * columns - len(value))).reshape(1, rows, columns)
    return value.reshape(-1, *value.shape[-2:])


def _bytes(maps: Tensor, kind: str, count: int) -> Json:
    """Maps, made smaller where they are large, as bytes on one scale."""
    widest = WIDE if len(maps) == 1 else SIDE
    size = min(maps.shape[1], SIDE), min(maps.shape[2], widest)
    pooled = F.adaptive_avg_pool2d(maps[None], size)[0] if size != maps.shape[1:] else maps
    # NumPy: a fraction of the cost of torch's calls on so few numbers; 64 bits: no span overflows
    small = pooled.to(torch.float64).numpy()
    good = np.isfinite(small)
    whole = bool(good.all())
    known = small if whole else small[good]
    low, high = (float(known.min()), float(known.max())) if known.size else (0.0, 0.0)
    if low < 0 and kind == "maps":
        high = max(-low, high)
        low = -high
    levels = np.full(small.shape, NO_NUMBER, np.uint8)
    np.copyto(levels, _levels(small, low, high), "unsafe", good)
    data = base64.b64encode(levels.tobytes()).decode()
    return {
        "kind": kind,
        "data": data,
        "shape": list(levels.shape),
        "of": count,
        "low": low,
        "high": high,
        "bad": not_finite(maps),
    }


def _levels(small: "np.ndarray[Any, Any]", low: float, high: float) -> "np.ndarray[Any, Any]":
    """The numbers from low to high as whole numbers from 0 to 254."""
    return np.rint((small - low) / (high - low) * 254) if high > low else np.zeros_like(small)


def _plain(number: float) -> float | str:
    """A number as strict JSON has it: what is none is written as a word."""
    finite = number == number and abs(number) != float("inf")
    return number if finite else str(number)
