"""The values of masks: which number or colour of a pixel is which class.

Training scripts hold `classes_of_pixels` word for word.
"""

from dataclasses import dataclass

import numpy as np
from PIL import Image, ImageColor

from core.common.errors import DataError

VOID = 255
"""What a pixel without a class is in the cache, where a class is a byte."""
MOST_CLASSES = 255
USUAL_VOID = 255
"""The number that masks usually have where no class is told."""
INDEXED = ("1", "L", "P", "I", "I;16")
"""Modes of Pillow whose pixels are numbers; other masks are read by their colours."""


@dataclass(frozen=True)
class MaskCode:
    """values: of each class, a number, or a colour as red * 65536 + green * 256 + blue. by_index:
    whether they are numbers."""

    values: tuple[int, ...]
    by_index: bool


def classes_of_pixels(
    mask: Image.Image,
    size: tuple[int, int],
    values: list[int],
    by_index: bool,
) -> np.ndarray:
    """The class of each pixel, (H, W); -100 where its value is none of the values.

    size: width and height; each pixel takes the value of the nearest one of the mask.
    by_index: whether values are numbers of a palette or greys; else colours, as
    red * 65536 + green * 256 + blue.
    """
    mask = mask if by_index else mask.convert("RGB")
    pixels = np.asarray(mask.resize(size, 0)).astype(np.int64)  # 0: the nearest
    if not by_index:
        pixels = pixels @ np.array([65536, 256, 1])
    classes = np.full(pixels.shape, -100, np.int16)
    for number, value in enumerate(values):
        classes[pixels == value] = number
    return classes


def mask_plane(mask: Image.Image, size: tuple[int, int], code: MaskCode) -> bytes:
    """The class of each pixel as a byte, `VOID` for none; (H, W)."""
    classes = classes_of_pixels(mask, size, [*code.values], code.by_index)
    return np.where(classes < 0, VOID, classes).astype(np.uint8).tobytes()


def check_sizes(picture: str, size: tuple[int, int], mask: str, other: tuple[int, int]) -> None:
    """Raise DataError where a mask has not the width and height of its picture, as it is seen."""
    if size != other:
        raise DataError(
            f"{mask} has {other[0]} x {other[1]} pixels, but its picture {picture} has "
            f"{size[0]} x {size[1]}.",
            "Save both at the same size.",
        )


def counted(mask: Image.Image, by_index: bool) -> dict[int, int]:
    """How many pixels of a mask have each value."""
    pixels = np.asarray(mask if by_index else mask.convert("RGB"))
    if not by_index:  # a number of four bytes for each pixel: masks may have 100 million
        red, green, blue = (pixels[..., part].astype(np.int32) for part in range(3))
        pixels = red << 16 | green << 8 | blue
    values, counts = np.unique(pixels, return_counts=True)
    return dict(zip(values.tolist(), counts.tolist(), strict=True))


def named(value: int, by_index: bool) -> str:
    """A value in words: "3", "red" or "#80c040"."""
    if by_index:
        return str(value)
    code = f"#{value:06x}"
    return next((name for name, colour in ImageColor.colormap.items() if colour == code), code)
