"""Tensors as images: tiles of feature maps, colour scales, PNG bytes. numpy and zlib only."""

import math
import struct
import zlib
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
Pixels = NDArray[np.uint8]

SEQUENTIAL = ((16, 15, 38), (62, 57, 150), (108, 108, 226), (172, 178, 246), (246, 247, 255))
DIVERGING = ((193, 84, 10), (240, 178, 110), (247, 247, 250), (150, 150, 232), (62, 57, 170))
GREY = ((0, 0, 0), (255, 255, 255))


def as_maps(value: Array) -> Array:
    """Arrange one sample's value as maps (C, H, W).

    (C, H, W) stays, (C, D, H, W) shows every slice, (L, F) is one picture of L rows, (F,) one of
    one row, and a single number one pixel.
    """
    if value.ndim <= 1:
        return value.reshape(1, 1, -1)
    if value.ndim == 2:
        return value[None]
    return value.reshape(-1, *value.shape[-2:])


def scale(maps: Array, *, signed: bool = False, together: bool = False) -> Array:
    """Bring every map (C, H, W) to 0..1 by its own lowest and highest value; a flat one becomes 0.

    `signed` keeps zero in the middle (0.5); `together` uses one range for all maps, as maps of a
    single pixel always have: by itself each would be flat. Values that are not finite count as 0.
    """
    maps = np.nan_to_num(np.asarray(maps, dtype=np.float64), nan=0.0, posinf=0.0, neginf=0.0)
    axes = None if together or maps.shape[-2:] == (1, 1) else (-2, -1)
    if signed:
        reach = np.abs(maps).max(axis=axes, keepdims=True)
        return np.divide(maps, 2 * reach, out=np.zeros_like(maps), where=reach > 0) + 0.5
    low = maps.min(axis=axes, keepdims=True)
    spread = maps.max(axis=axes, keepdims=True) - low
    return np.divide(maps - low, spread, out=np.zeros_like(maps), where=spread > 0)


def columns_for(count: int, height: int, width: int, aspect: float = 1.6) -> int:
    """How many tiles a row gets: the whole about `aspect` times as wide as high, few left over."""
    ideal = max(1, min(count, round(math.sqrt(count * aspect * height / max(width, 1)))))
    near = [c for c in (ideal, ideal - 1, ideal + 1) if 1 <= c <= count]
    return min(near, key=lambda columns: -count % columns)


def grid(pictures: Pixels, columns: int = 0, gap: int = 1, background: int = 0) -> Pixels:
    """Lay pictures (K, H, W, channels) out in one picture, row by row."""
    count, height, width, channels = pictures.shape
    columns = columns or columns_for(count, height, width)
    rows = math.ceil(count / columns)
    shape = (rows * (height + gap) - gap, columns * (width + gap) - gap, channels)
    whole = np.full(shape, background, np.uint8)
    for index, picture in enumerate(pictures):
        top, left = (index // columns) * (height + gap), (index % columns) * (width + gap)
        whole[top : top + height, left : left + width] = picture
    return whole


def colour(values: Array, stops: tuple[tuple[int, int, int], ...] = SEQUENTIAL) -> Pixels:
    """Paint values 0..1 of any shape with a colour scale: adds a last dimension of 3."""
    positions = np.linspace(0, 1, len(stops))
    channels = [np.interp(values, positions, [stop[c] for stop in stops]) for c in range(3)]
    return np.rint(np.stack(channels, axis=-1)).astype(np.uint8)


def enlarge(picture: Pixels, factor: int) -> Pixels:
    """Repeat every pixel `factor` times in both directions, so that pixels stay crisp squares."""
    return picture.repeat(factor, axis=0).repeat(factor, axis=1)


def paint(
    maps: Array,
    *,
    signed: bool = False,
    together: bool = False,
    columns: int = 0,
    width_px: int = 0,
) -> Pixels:
    """Draw maps (C, H, W) as one coloured grid, enlarged in whole steps up to `width_px`."""
    tiles = colour(
        scale(maps, signed=signed, together=together), DIVERGING if signed else SEQUENTIAL
    )
    return arrange(tiles, columns, width_px)


def arrange(tiles: Pixels, columns: int = 0, width_px: int = 0, gap: int = 2) -> Pixels:
    """Enlarge tiles (K, H, W, 3) in whole steps and lay them out, the gaps transparent."""
    count, height, width = tiles.shape[:3]
    columns = columns or columns_for(count, height, width)
    factor = max(1, (width_px - gap * columns) // (columns * width)) if width_px else 1
    gap = gap if factor * width >= 12 else factor * width // 5  # gaps must not outshine tiles
    big = np.stack([enlarge(t, factor) for t in tiles])
    return transparent_gaps(grid(big, columns, gap, 255), big.shape[1:3], columns, gap, count)


def transparent_gaps(
    whole: Pixels, size: tuple[int, ...], columns: int, gap: int, count: int
) -> Pixels:
    """Give a grid (H, W, 3) an alpha channel that lets the page show through its gaps."""
    opaque = np.full((count, *size, 1), 255, np.uint8)
    return np.concatenate([whole, grid(opaque, columns, gap, 0)], axis=-1)


def png(picture: Pixels) -> bytes:
    """Encode (H, W) grey, (H, W, 3) colour or (H, W, 4) colour with alpha as a PNG file."""
    picture = picture[..., None] if picture.ndim == 2 else picture
    height, width, channels = picture.shape
    kind = {1: 0, 3: 2, 4: 6}[channels]
    rows = np.concatenate(
        [np.zeros((height, 1), np.uint8), picture.reshape(height, width * channels)], axis=1
    )
    header = struct.pack(">IIBBBBB", width, height, 8, kind, 0, 0, 0)
    parts = ((b"IHDR", header), (b"IDAT", zlib.compress(rows.tobytes(), 6)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(name, data) for name, data in parts)


def _chunk(name: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
