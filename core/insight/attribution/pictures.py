"""Explanations as pictures: the values in colours, and over the sample. numpy, without torch."""

import numpy as np
from numpy.typing import NDArray

from core.insight.images import DIVERGING, SEQUENTIAL, Array, colour, enlarge, png, scale

FAINT = 0.35  # how light the sample is below the colours


def heat(values: Array, signed: bool, width_px: int) -> bytes:
    """Values (H, W) in colours: zero in the middle where they have a sign, else dark."""
    tile = colour(scaled(values, signed), DIVERGING if signed else SEQUENTIAL)
    return png(enlarge(tile, max(1, width_px // values.shape[1])))


def overlaid(sample: Array, values: Array, signed: bool, width_px: int) -> bytes:
    """A sample (H, W) in grey, tinted by values (h, w) the stronger the larger they are.

    Indigo speaks for, orange against; values of fewer places are spread over the sample.
    """
    spread = resized(values, *sample.shape)
    strength = np.abs(spread) / (np.abs(spread).max() or 1.0)
    bright = scaled(sample, signed=False)[..., None]
    tints = np.array([[193, 84, 10], [62, 57, 170]], dtype=np.float64)
    tint = tints[(spread >= 0).astype(int)]
    grey = 255 * (FAINT + (1 - FAINT) * (1 - bright)) * np.ones(3)
    mixed = grey * (1 - 0.85 * strength[..., None]) + tint * 0.85 * strength[..., None]
    tile = np.rint(np.clip(mixed, 0, 255)).astype(np.uint8)
    return png(enlarge(tile, max(1, width_px // sample.shape[1])))


def scaled(values: Array, signed: bool) -> Array:
    """Values (H, W) from 0 to 1, with zero at 0.5 where they have a sign."""
    return scale(values[None], signed=signed)[0]


def resized(values: Array, height: int, width: int) -> Array:
    """Spread values (h, w) over (H, W), straight lines between the middles of their places."""
    have = (len(values), values.shape[1])
    rows, columns = _middles(height, have[0]), _middles(width, have[1])
    across = np.stack([_interpolated(columns, row) for row in values])
    return np.stack([_interpolated(rows, column) for column in across.T], 1)


def _middles(size: int, have: int) -> NDArray[np.float64]:
    """Where the middles of `size` places lie among `have` places of the same length."""
    return (np.arange(size, dtype=np.float64) + 0.5) * have / size - 0.5


def _interpolated(at: NDArray[np.float64], values: Array) -> NDArray[np.float64]:
    numbers = np.asarray(values, dtype=np.float64)
    return np.interp(at, np.arange(len(numbers), dtype=np.float64), numbers)
