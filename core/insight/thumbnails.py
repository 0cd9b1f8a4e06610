"""Small images and figures of a network for the pages. numpy, without torch."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from core.insight.class_colours import over
from core.insight.images import (
    DIVERGING,
    GREY,
    Array,
    Pixels,
    arrange,
    as_maps,
    colour,
    columns_for,
    grid,
    paint,
    png,
    scale,
)

CHANNELS = 256


@dataclass(frozen=True)
class HookLines:
    """How a block's output is caught.

    code: lines that catch the output of `model`, or the statement of a block without a hook.
    """

    sentence: str
    code: str


@dataclass(frozen=True)
class Shot:
    """One node's output for one sample.

    shape: without the batch. picture: a PNG of at most `CHANNELS` maps, each scaled by itself; a
    vector, and maps of one pixel, are one square per value, scaled together. zeros: the share of
    exact zeros.
    """

    node: str
    block: str
    shape: tuple[int, ...]
    picture: bytes
    low: float
    high: float
    mean: float
    zeros: float
    values: tuple[float, ...] = ()


@dataclass(frozen=True)
class Sample:
    """A validation sample: its index, an image, numbers or text, and its true label.

    row: the numbers that go in. cells: of a table, what stands in each column of its file.
    """

    index: int
    picture: bytes
    answer: str
    row: tuple[float, ...] = ()
    words: str = ""
    cells: tuple[str, ...] = ()

    def values(self, most: int) -> str:
        """The first values in one line: as its file has them, else the numbers that go in."""
        known = self.cells or tuple(f"{value:.2g}" for value in self.row[: most + 1])
        return ", ".join(known[:most]) + (", …" if len(known) > most else "")


@dataclass(frozen=True)
class Miss:
    """A sample with a high validation loss.

    more: images of prediction and target. lines: for series, target and prediction.
    """

    sample: Sample
    predicted: str
    confidence: float | None
    loss: float
    more: tuple[bytes, ...] = ()
    lines: tuple[list[float], list[float]] | None = None


@dataclass(frozen=True)
class FilterShot:
    """Filters of one layer: shape (K, C, H, W) and a PNG."""

    node: str
    shape: tuple[int, ...]
    picture: bytes


def shoot(node: str, block: str, value: Array, width_px: int, limit: int = CHANNELS) -> Shot:
    """Picture one sample's value. `limit`: at most so many channels are drawn."""
    value = np.asarray(value)
    known = value[np.isfinite(value)] if value.dtype.kind == "f" else value
    return Shot(
        node=node,
        block=block,
        shape=value.shape,
        picture=png(_drawn(value, width_px, limit)),
        low=float(known.min()) if known.size else math.nan,
        high=float(known.max()) if known.size else math.nan,
        mean=float(known.mean()) if known.size else math.nan,
        zeros=float((value == 0).mean()) if value.size else 0.0,
        values=tuple(float(v) for v in value) if value.ndim == 1 and value.size <= 64 else (),
    )


def _drawn(value: Array, width_px: int, limit: int) -> Any:
    if value.ndim <= 1 or value.size == len(value):  # also maps of one pixel each
        squares = value.reshape(-1, 1, 1)[: 16 * limit]
        columns = min(len(squares), max(16, columns_for(len(squares), 1, 1, aspect=6)))
        width = min(width_px, 34 * columns)
        return paint(squares, together=True, columns=columns, width_px=width)
    maps = as_maps(value)[:limit]
    return paint(maps, width_px=min(width_px, 20 * maps.shape[-1] * len(maps)))


def sample_picture(value: Array, width_px: int = 96) -> bytes:
    """Draw one input: grey or colour images, rows of an image as an image; b"" for a table's row.

    Brightness runs from the lowest to the highest value, so that normalised data looks right.
    """
    pixels = pixels_of(value)
    return (
        b"" if pixels is None else png(arrange(pixels[None], 1, max(width_px, pixels.shape[1]) + 2))
    )


def class_picture(
    value: Array, classes: Array, colours: Sequence[str], width_px: int = 96
) -> bytes:
    """One input (C, H, W) with the classes of its pixels (H, W) over it."""
    pixels = pixels_of(value)
    if pixels is None:
        return b""
    tile = over(pixels, classes, colours)
    return png(arrange(tile[None], 1, max(width_px, tile.shape[1]) + 2))


def pixels_of(value: Array) -> Pixels | None:
    """An input as pixels (H, W, 3); None for what is no picture."""
    value = np.asarray(value, dtype=np.float64)
    if value.ndim == 2:
        value = value[None]
    if value.ndim != 3 or value.shape[0] not in (1, 3) or 1 in value.shape[1:]:
        return None
    low, high = value.min(), value.max()
    bright = (value - low) / (high - low) if high > low else np.zeros_like(value)
    tile = np.moveaxis(bright, 0, -1)
    return np.rint(tile * 255).astype(np.uint8) if len(value) == 3 else colour(tile[..., 0], GREY)


def sheet(values: Array, columns: int, most_px: int) -> tuple[bytes, tuple[int, int]]:
    """Many inputs (S, ...) as one PNG, `columns` in a row, and the width and height of each.

    Of large pictures every few pixels are taken, so that none has a side above most_px. (b"", (0,
    0)) for what is no picture.
    """
    drawn = [pixels for value in values if (pixels := pixels_of(value)) is not None]
    if not drawn or len(drawn) < len(values):
        return b"", (0, 0)
    step = -(-max(drawn[0].shape[:2]) // most_px)
    tiles = np.stack(drawn)[:, ::step, ::step]
    return png(grid(tiles, columns, gap=0)), (tiles.shape[2], tiles.shape[1])


def sample(index: int, value: Array, answer: str, width_px: int = 96) -> Sample:
    """Picture a sample, or list its numbers."""
    picture = sample_picture(value, width_px)
    row = () if picture else tuple(float(v) for v in np.ravel(value)[:64])
    return Sample(index, picture, answer, row)


def filter_shot(node: str, weight: Array, width_px: int = 640) -> FilterShot:
    """Picture filters (K, C, H, W): in colour for 3 channels, else one row of maps a filter."""
    weight = np.asarray(weight)
    if weight.ndim == 3:
        weight = weight[:, :, None]
    channels, height, width = weight.shape[1:]
    if channels == 3:
        return FilterShot(node, weight.shape, in_colour(weight, width_px, gap=6))
    shown = weight[:32, :16].reshape(-1, height, width) if channels > 1 else weight[:256, 0]
    columns = min(channels, 16) if channels > 1 else min(len(shown), 8)
    width_px = min(width_px, (48 if columns > 8 else 88) * columns)
    tiles = colour(scale(shown, signed=True), DIVERGING)
    return FilterShot(node, weight.shape, png(arrange(tiles, columns, width_px, gap=6)))


def in_colour(weight: Array, width_px: int, gap: int = 2) -> bytes:
    """Filters (K, 3, H, W) in red, green and blue, each from its lowest to its highest weight."""
    low = weight.min(axis=(1, 2, 3), keepdims=True)
    high = weight.max(axis=(1, 2, 3), keepdims=True)
    bright = (weight - low) / np.where(high > low, high - low, 1)
    tiles = np.rint(np.moveaxis(bright, 1, -1) * 255).astype(np.uint8)
    return png(arrange(tiles, 1 if len(tiles) == 1 else 0, width_px, gap=gap))
