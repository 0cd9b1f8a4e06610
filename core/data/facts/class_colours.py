"""The colours that classes of pixels are drawn in, everywhere alike. No torch."""

import colorsys
from collections.abc import Sequence

from core.data.facts.info import DataInfo

BASE = (
    *("#4b4f63", "#e69f00", "#56b4e9", "#009e73", "#f0e442", "#0072b2", "#d55e00", "#cc79a7"),
    *("#7a6ff0", "#8c6d46"),
)
"""Of the first classes: Okabe and Ito (2008), told apart by most people, after a dark ground."""
GOLDEN = 0.618034
"""Hues a golden section apart: none of the first few lie close together."""


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
