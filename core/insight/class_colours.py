"""Classes of pixels as colours over the picture that they are of. numpy, without torch."""

import colorsys
from collections.abc import Sequence

import numpy as np

from core.data.facts.info import DataInfo
from core.insight.images import Array, Pixels

BASE = (
    *("#4b4f63", "#e69f00", "#56b4e9", "#009e73", "#f0e442", "#0072b2", "#d55e00", "#cc79a7"),
    *("#7a6ff0", "#8c6d46"),
)
"""Of the first classes: Okabe and Ito (2008), told apart by most people, after a dark ground."""
GOLDEN = 0.618034
"""Hues a golden section apart: none of the first few lie close together."""
COVER = 0.6
"""How much of a pixel is the colour of its class, and not the picture."""


def class_colours(count: int, own: Sequence[str] = ()) -> tuple[str, ...]:
    """The colour of each class, "#rrggbb". own: those that the masks themselves have."""
    if len(own) == count:
        return tuple(own)
    further = (_further(number) for number in range(count - len(BASE)))
    return (*BASE, *further)[:count]


def colours_of(info: DataInfo) -> tuple[str, ...]:
    """The colours of the classes of a data set."""
    return class_colours(len(info.classes), info.layout.get("colours", ()))


def _further(number: int) -> str:
    parts = colorsys.hsv_to_rgb(number * GOLDEN % 1, 0.65, 0.75 + 0.2 * (number % 2))
    return "#" + "".join(f"{round(255 * part):02x}" for part in parts)


def over(picture: Pixels, classes: Array, colours: Sequence[str]) -> Pixels:
    """A picture (H, W, 3) with the colour of each pixel's class (H, W) over it.

    What is of no class, below 0, stays as it is.
    """
    table = np.array([[int(c[i : i + 2], 16) for i in (1, 3, 5)] for c in colours])
    known = (classes >= 0)[..., None]
    painted = table[np.clip(classes, 0, len(colours) - 1)]
    mixed = COVER * painted + (1 - COVER) * picture
    return np.rint(np.where(known, mixed, picture)).astype(np.uint8)
