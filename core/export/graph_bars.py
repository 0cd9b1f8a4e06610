"""A graph as bars and curves: a bar for each block, a column for each step of the data.

It is the little picture of a network, in every size: on cards of pages, and on pictures that people
share. Lengths are in units of a picture that is HEIGHT high.
"""

from collections import defaultdict
from dataclasses import dataclass

from blocks import CATALOGUE
from core.graph import Graph
from core.graph.order import columns, find_cycle

HEIGHT, MIDDLE = 92.0, 52.0
WIDEST_BAR = 24.0
FAMILY_COLOURS = {
    "ends": "#7C8798",
    "convolution": "#4F86E0",
    "linear": "#8D6BE8",
    "normalisation": "#2BA397",
    "activation": "#DB9A2B",
    "pooling": "#2AA3C4",
    "dropout": "#9A938B",
    "recurrent": "#E0627F",
    "attention": "#CF5FC4",
    "embedding": "#84A92B",
    "shape": "#98A0AC",
    "arithmetic": "#E27F3F",
}
OTHER = "#5B5BD6"
"""Of composites, and of blocks of one's own."""
_HEIGHTS = {
    "ends": 34.0,
    "convolution": 56.0,
    "linear": 50.0,
    "recurrent": 56.0,
    "attention": 56.0,
    "embedding": 46.0,
    "pooling": 36.0,
    "normalisation": 30.0,
    "activation": 22.0,
}


@dataclass(frozen=True)
class Bar:
    """A block. (x, y) is its middle; name: of the block in the catalogue, "" where it has none."""

    node: str
    name: str
    colour: str
    x: float
    y: float
    width: float
    height: float


@dataclass(frozen=True)
class Curve:
    """A wire, a cubic curve: ends and control points."""

    points: tuple[tuple[float, float], ...]

    @property
    def top(self) -> float:
        """Its highest point, for ends of one height or control points on one."""
        (_, a), (_, b), (_, c), (_, d) = self.points
        return min(a, d, (a + 3 * b + 3 * c + d) / 8)


@dataclass(frozen=True)
class Bars:
    """pitch: between columns."""

    bars: tuple[Bar, ...] = ()
    curves: tuple[Curve, ...] = ()
    pitch: float = 0.0


def bars_of(graph: Graph, width: float, widest: float) -> Bars:
    """Place a graph in a width; nothing for a graph with a cycle. widest: the largest pitch."""
    column_of = {} if find_cycle(graph) else columns(graph)
    if not column_of:
        return Bars()
    count = max(column_of.values()) + 1
    pitch = min(widest, width / count)
    left = (width - pitch * count) / 2
    by_column: dict[int, list[str]] = defaultdict(list)
    for node, column in column_of.items():
        by_column[column].append(node)
    bars: dict[str, Bar] = {}
    for column, nodes in by_column.items():
        share = HEIGHT * 0.72 / len(nodes)
        for row, node in enumerate(nodes):
            x = left + (column + 0.5) * pitch
            y = MIDDLE + (row - (len(nodes) - 1) / 2) * share
            bars[node] = _bar(graph, node, x, y, min(pitch * 0.62, WIDEST_BAR), len(nodes))
    return Bars(tuple(bars.values()), _curves(graph, bars, pitch), pitch)


def _bar(graph: Graph, node: str, x: float, y: float, width: float, rows: int) -> Bar:
    """rows: how many share its column, which makes each lower."""
    kind = graph.nodes[node].block
    block = CATALOGUE.get(kind)
    family = block.family if block else ""
    height = _HEIGHTS.get(family, 26.0 if block else 56.0) / rows**0.8
    colour = FAMILY_COLOURS.get(family, OTHER)
    return Bar(node, kind if block else "", colour, x, y, width, height)


def _curves(graph: Graph, bars: dict[str, Bar], pitch: float) -> tuple[Curve, ...]:
    curves: list[Curve] = []
    for edge in graph.edges:
        if edge.source not in bars or edge.target not in bars:
            continue
        a, b = bars[edge.source], bars[edge.target]
        far = (b.x - a.x) / pitch
        lift = 0.0 if far < 1.5 or a.y != b.y else min(MIDDLE - 4, 34 + 2 * far)
        middle = (a.x + b.x) / 2
        first, second = (middle, a.y - lift * 1.3), (middle, b.y - lift * 1.3)
        curves.append(Curve(((a.x, a.y), first, second, (b.x, b.y))))
    return tuple(curves)
