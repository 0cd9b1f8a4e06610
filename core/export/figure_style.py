"""The style of a figure. Imports neither torch nor Graphviz."""

from dataclasses import dataclass
from typing import Literal

Layout = Literal["graphviz", "canvas"]
Direction = Literal["down", "right"]
LAYOUTS: tuple[Layout, ...] = ("graphviz", "canvas")
DIRECTIONS: tuple[Direction, ...] = ("down", "right")


@dataclass(frozen=True)
class FigureStyle:
    """Composites opened or folded, whose places the blocks take, and which way the data flows.

    direction: for places by Graphviz only; those of the canvas are as they are. dark: for formats
    that may have a dark background.
    """

    unfold: bool = False
    layout: Layout = "graphviz"
    direction: Direction = "down"
    dark: bool = False
