"""Where handwriting stands in a picture: one rule for the canvas and for exported pages.

`core/export/web/readouts.js` has it for browsers; both pass the cases of
`tests/core/export/readouts.json`.
"""

from math import floor

from torch import Tensor
from torch.nn import functional as F

WRITTEN_HIGH = {"digits": 0.94, "MNIST": 20 / 28, "QMNIST": 20 / 28}
"""Data sets of handwriting, and what share of the picture's height a digit fills in them."""
INK = 0.1
"""A drawn pixel brighter than this belongs to a stroke."""


def height_of(source: str) -> float:
    """The share of a picture's height that a digit fills in a data set; 0 for other data."""
    return WRITTEN_HIGH.get(source, 0.0)


def framed(ink: Tensor, size: tuple[int, int], source: str) -> Tensor:
    """A drawing (H, W) as a picture (1, 1, *size), placed as the data set places its own.

    Handwriting of digits is cut out, made as high as digits are there and set in the middle.
    """
    marks, high = ink > INK, height_of(source)
    if not high or not marks.any():
        return F.interpolate(ink[None, None], size, mode="bilinear", antialias=True)
    rows, columns = marks.any(1).nonzero()[:, 0], marks.any(0).nonzero()[:, 0]
    cut = ink[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]
    height, width = cut.shape
    scale = min(high * size[0] / height, high * size[1] / width)
    whole = [max(a, floor(b / scale + 0.5)) for a, b in zip(cut.shape, size, strict=True)]
    top, left = (whole[0] - height) // 2, (whole[1] - width) // 2
    sides = (left, whole[1] - width - left, top, whole[0] - height - top)
    return F.interpolate(F.pad(cut, sides)[None, None], size, mode="area")
