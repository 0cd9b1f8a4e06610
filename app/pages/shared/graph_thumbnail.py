"""A little picture of a graph: one bar per block, in its family's colour, from left to right.

Only numbers and colours from this file, and names of our blocks, reach the SVG; no text of the
project does.
"""

import base64
import html
from collections import defaultdict
from collections.abc import Mapping

from blocks import CATALOGUE
from core.graph import Graph
from core.graph.order import columns, find_cycle

WIDTH, HEIGHT, MIDDLE = 280.0, 92.0, 52.0
WIDE = 900.0
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
_OTHER = "#5B5BD6"
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


def draw(graph: Graph) -> str:
    """Return the graph as SVG text of 280 by 92 units; a cycle draws as an empty picture."""
    body = "" if find_cycle(graph) else _body(graph)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH:g} {HEIGHT:g}" '
        f'width="{WIDTH:g}" height="{HEIGHT:g}">{body}</svg>'
    )


def wide_image(graph: Graph, colours: Mapping[str, str] = {}, words: str = "") -> str:
    """Return the drawing as an <img> as wide as its place, with the name of each block below it.

    colours: by node, in the place of those of families; `words` say what they mean.
    """
    body = "" if find_cycle(graph) else _body(graph, WIDE, True, colours)
    svg = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDE:g} 112">{body}</svg>'
    data = base64.b64encode(svg.encode()).decode()
    return (
        f'<img alt="{html.escape(words)}" width="100%" style="display:block" '
        f'src="data:image/svg+xml;base64,{data}">'
    )


def image(graph: Graph) -> str:
    """Return the drawing as an <img> element."""
    return svg_image(draw(graph))


def svg_image(svg: str) -> str:
    """Return an SVG of 280 by 92 units as <img>: Streamlit's sanitiser takes SVG elements out."""
    data = base64.b64encode(svg.encode()).decode()
    return (
        f'<img alt="" width="100%" height="{HEIGHT:g}" style="display:block" '
        f'src="data:image/svg+xml;base64,{data}">'
    )


def _body(
    graph: Graph, width: float = WIDTH, named: bool = False, colours: Mapping[str, str] = {}
) -> str:
    column_of = columns(graph)
    if not column_of:
        return ""
    pitch = min(64.0 if named else 26.0, width / (max(column_of.values()) + 1))
    left = (width - pitch * (max(column_of.values()) + 1)) / 2
    by_column: dict[int, list[str]] = defaultdict(list)
    for node, column in column_of.items():
        by_column[column].append(node)
    positions: dict[str, tuple[float, float]] = {}
    bars: list[str] = []
    for column, nodes in by_column.items():
        share = HEIGHT * 0.72 / len(nodes)
        for row, node in enumerate(nodes):
            x = left + (column + 0.5) * pitch
            y = MIDDLE + (row - (len(nodes) - 1) / 2) * share
            positions[node] = (x, y)
            bars.append(_bar(graph, node, x, y, min(pitch * 0.62, 24.0), len(nodes), colours))
            bars += [_name(graph, node, x, y, pitch, len(nodes))] if named else []
    return "".join([*_wires(graph, positions, pitch), *bars])


def _look(graph: Graph, node: str, rows: int) -> tuple[str, float]:
    """The family of a node's block, and how high its bar is where so many stand in a column."""
    block = CATALOGUE.get(graph.nodes[node].block)
    family = block.family if block else ""
    return family, _HEIGHTS.get(family, 26.0 if block else 56.0) / rows**0.8


def _name(graph: Graph, node: str, x: float, y: float, pitch: float, rows: int) -> str:
    """The name of a node's block below its bar, so large that it keeps to its column."""
    kind = graph.nodes[node].block
    name = kind if kind in CATALOGUE else "own block"
    size = min(9.0, 1.6 * pitch / len(name))
    below = y + _look(graph, node, rows)[1] / 2 + size + 3
    return (
        f'<text x="{x:.1f}" y="{below:.1f}" text-anchor="middle" font-size="{size:.1f}" '
        f'font-family="system-ui, sans-serif" fill="#767b8c">{name}</text>'
    )


def _bar(
    graph: Graph,
    node: str,
    x: float,
    y: float,
    width: float,
    rows: int,
    colours: Mapping[str, str],
) -> str:
    family, height = _look(graph, node, rows)
    colour = colours.get(node) or FAMILY_COLOURS.get(family, _OTHER)
    return (
        f'<rect x="{x - width / 2:.1f}" y="{y - height / 2:.1f}" width="{width:.1f}" '
        f'height="{height:.1f}" rx="{min(3.0, width / 3):.1f}" '
        f'fill="{colour}"/>'
    )


def _wires(graph: Graph, positions: dict[str, tuple[float, float]], pitch: float) -> list[str]:
    lines: list[str] = []
    for edge in graph.edges:
        if edge.source not in positions or edge.target not in positions:
            continue
        (x1, y1), (x2, y2) = positions[edge.source], positions[edge.target]
        far = (x2 - x1) / pitch
        lift = 0.0 if far < 1.5 or y1 != y2 else min(MIDDLE - 4, 34 + 2 * far)
        path = f"M{x1:.1f} {y1:.1f}C{(x1 + x2) / 2:.1f} {y1 - lift * 1.3:.1f} "
        path += f"{(x1 + x2) / 2:.1f} {y2 - lift * 1.3:.1f} {x2:.1f} {y2:.1f}"
        lines.append(
            f'<path d="{path}" fill="none" stroke="#9AA0AE" stroke-opacity="0.65" '
            'stroke-width="1.2"/>'
        )
    return lines
