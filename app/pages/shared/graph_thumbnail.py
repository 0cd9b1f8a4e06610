"""A little picture of a graph: one bar per block, in its family's colour, from left to right.

Only numbers and colours from `core.export.graph_bars`, and names of our blocks, reach the SVG; no
text of the project does.
"""

import base64
import html
from collections.abc import Mapping

from core.export.graph_bars import HEIGHT, Bar, Bars, Curve, bars_of
from core.graph import Graph

WIDTH, WIDE = 280.0, 900.0
PITCH, WIDE_PITCH = 26.0, 64.0


def draw(graph: Graph) -> str:
    """Return the graph as SVG text of 280 by 92 units; a cycle draws as an empty picture."""
    body = _body(bars_of(graph, WIDTH, PITCH), {}, False)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH:g} {HEIGHT:g}" '
        f'width="{WIDTH:g}" height="{HEIGHT:g}">{body}</svg>'
    )


def wide_image(graph: Graph, colours: Mapping[str, str] = {}, words: str = "") -> str:
    """Return the drawing as an <img> as wide as its place, with the name of each block below it.

    colours: by node, in the place of those of families; `words` say what they mean.
    """
    body = _body(bars_of(graph, WIDE, WIDE_PITCH), colours, True)
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


def _body(placed: Bars, colours: Mapping[str, str], named: bool) -> str:
    wires = [_wire(curve) for curve in placed.curves]
    bars = (
        f"{_bar(bar, colours)}{_name(bar, placed.pitch) if named else ''}" for bar in placed.bars
    )
    return "".join([*wires, *bars])


def _name(bar: Bar, pitch: float) -> str:
    """The name of a node's block below its bar, so large that it keeps to its column."""
    name = bar.name or "own block"
    size = min(9.0, 1.6 * pitch / len(name))
    below = bar.y + bar.height / 2 + size + 3
    return (
        f'<text x="{bar.x:.1f}" y="{below:.1f}" text-anchor="middle" font-size="{size:.1f}" '
        f'font-family="system-ui, sans-serif" fill="#767b8c">{name}</text>'
    )


def _bar(bar: Bar, colours: Mapping[str, str]) -> str:
    return (
        f'<rect x="{bar.x - bar.width / 2:.1f}" y="{bar.y - bar.height / 2:.1f}" '
        f'width="{bar.width:.1f}" height="{bar.height:.1f}" rx="{min(3.0, bar.width / 3):.1f}" '
        f'fill="{colours.get(bar.node) or bar.colour}"/>'
    )


def _wire(curve: Curve) -> str:
    (x1, y1), (x2, y2), (x3, y3), (x4, y4) = curve.points
    path = f"M{x1:.1f} {y1:.1f}C{x2:.1f} {y2:.1f} {x3:.1f} {y3:.1f} {x4:.1f} {y4:.1f}"
    return (
        f'<path d="{path}" fill="none" stroke="#9AA0AE" stroke-opacity="0.65" stroke-width="1.2"/>'
    )
