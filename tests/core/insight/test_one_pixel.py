"""Maps of one pixel each are drawn on a common scale: by itself each would be black."""

import zlib

import numpy as np

from app.pages.inside.feature_maps import _legend  # pyright: ignore[reportPrivateUsage]
from core.insight.images import scale
from core.insight.thumbnails import filter_shot, shoot


def colours(png: bytes) -> set[bytes]:
    """Opaque colours of a PNG that `images.png` wrote with alpha."""
    width = int.from_bytes(png[16:20], "big")
    raw = np.frombuffer(zlib.decompress(png[png.index(b"IDAT") + 4 : -16]), np.uint8)
    pixels = raw.reshape(-1, 1 + 4 * width)[:, 1:].reshape(-1, 4)
    return {p[:3].tobytes() for p in pixels if p[3]}


def test_maps_of_one_pixel_have_one_scale() -> None:
    maps = np.array([-7.0, 0.0, 4.0]).reshape(3, 1, 1)
    assert scale(maps).ravel().tolist() == [0.0, 7 / 11, 1.0]
    assert scale(maps, signed=True).ravel().tolist() == [0.0, 0.5, 0.5 + 4 / 14]


def test_a_block_with_maps_of_one_pixel_is_a_row_of_squares_of_several_colours() -> None:
    value = np.linspace(-7, 4, 32, dtype=np.float32)
    maps, row = shoot("conv2", "Conv2d", value.reshape(32, 1, 1), 640), shoot("a", "b", value, 640)
    assert maps.picture == row.picture
    assert len(colours(maps.picture)) == 32
    assert _legend(maps).startswith("One square per channel")


def test_filters_of_one_pixel_differ_in_strength() -> None:
    weight = np.array([[1.0, 0.5], [-0.25, -1.0]], np.float32).reshape(2, 2, 1, 1)
    assert len(colours(filter_shot("conv", weight).picture)) == 4
