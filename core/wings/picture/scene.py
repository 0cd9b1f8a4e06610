"""The picture as shapes, before it is SVG or pixels: so that both are the same picture.

In pixels of a picture that is 1,200 by 630 large, the size that chats and networks show whole.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from core.common.fonts.lettering import Letters, fitted, width
from core.export.graph_bars import Bar, Bars, bars_of
from core.wings.picture.content import Content, line_of

WIDTH, TALL = 1200, 630
EDGE = 64.0
RIGHT = WIDTH - EDGE
PANEL_TOP, PANEL_TALL, PANEL_IN = 212.0, 312.0, 28.0
SCALE = 2.85  # of the bars: their arcs end inside of the panel
WIDEST = 34.0  # of a column, in units of the bars: a small network does not fill the panel
LEAST_NAMED = 46.0  # pixels of a column, from which on names of blocks are read
NAME_SIZES = (17.0, 16.0, 15.0, 14.0, 13.0)
LINE = 1.2  # of the size of names
NEWER_WORD = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=_)")


@dataclass(frozen=True)
class Palette:
    """Colours, as pages have them."""

    page: str
    panel: str
    text: str
    quiet: str
    accent: str
    wire: str


LIGHT = Palette("#FDFDFE", "#F3F3F8", "#1E1F2B", "#6A6C7D", "#5B5BD6", "#AEB3C1")
DARK = Palette("#14151C", "#1D1E28", "#ECEDF5", "#A2A4B6", "#B1A9FF", "#595D6E")
BRAND = "#5B5BD6"


@dataclass(frozen=True)
class Box:
    """A rectangle with round corners."""

    x: float
    y: float
    width: float
    height: float
    radius: float
    fill: str


@dataclass(frozen=True)
class Line:
    """A cubic curve: its ends, and the control points between them."""

    points: tuple[tuple[float, float], ...]
    stroke: str
    width: float


@dataclass(frozen=True)
class TextLine:
    """A line of text; (x, y) is the end of its base line that `anchor` names."""

    x: float
    y: float
    text: str
    letters: Letters
    fill: str
    anchor: Literal["start", "middle", "end"] = "start"


Shape = Box | Line | TextLine


@dataclass(frozen=True)
class Scene:
    """All shapes, the lowest first; title and words for those who do not see them."""

    title: str
    words: str
    shapes: tuple[Shape, ...]


def compose(content: Content, dark: bool = False) -> Scene:
    """Lay out the picture."""
    look = DARK if dark else LIGHT
    shapes = (
        Box(0, 0, WIDTH, TALL, 0, look.page),
        *_head(content, look),
        Box(EDGE, PANEL_TOP, WIDTH - 2 * EDGE, PANEL_TALL, 20, look.panel),
        *_drawing(content, look),
        *_foot(content, look),
    )
    return Scene(content.title, content.words, shapes)


def _head(content: Content, look: Palette) -> Iterator[Shape]:
    result, taken = content.result, 0.0
    if result.value:
        large = Letters(92, 700)
        taken = width(result.value, large)
        yield TextLine(RIGHT, 118, result.value, large, look.accent, "end")
        within = f"{result.metric} ± {result.within}" if result.within else result.metric
        for y, text in ((155, within), (184, result.rule)):
            line, letters = fitted(text, 460, (21, 19, 17) if y < 160 else (17, 15), 400)
            taken = max(taken, width(line, letters))
            yield TextLine(RIGHT, y, line, letters, look.quiet, "end")
    room = RIGHT - EDGE - (taken + 40 if taken else 0)
    title, letters = fitted(content.title, room, (60, 54, 48, 42, 36), 700)
    yield TextLine(EDGE, 114, title, letters, look.text)
    about, letters = fitted(content.about, room, (24, 22, 20), 400)
    yield TextLine(EDGE, 156, about, letters, look.quiet)


def _drawing(content: Content, look: Palette) -> Iterator[Shape]:
    room = WIDTH - 2 * (EDGE + PANEL_IN)
    placed = bars_of(content.graph, room / SCALE, WIDEST)
    left, pitch = EDGE + PANEL_IN, placed.pitch * SCALE
    names = _names(content, placed.bars, pitch - 4) if pitch >= LEAST_NAMED else BlockNames({}, 0)
    top = _top(placed, names)

    def there(x: float, y: float) -> tuple[float, float]:
        return left + x * SCALE, top + y * SCALE

    for curve in placed.curves:
        yield Line(tuple(there(x, y) for x, y in curve.points), look.wire, 3.0)
    for bar in placed.bars:
        (x, y), wide, high = there(bar.x, bar.y), bar.width * SCALE, bar.height * SCALE
        yield Box(x - wide / 2, y - high / 2, wide, high, min(8.0, wide / 3), bar.colour)
        for number, line in enumerate(names.lines.get(bar.node, ())):
            below = y + high / 2 + names.size * (1.55 + number * LINE)
            yield TextLine(x, below, line, Letters(names.size, 500), look.quiet, "middle")


def _top(placed: Bars, names: "BlockNames") -> float:
    """Where the drawing begins, so that what is drawn of it stands in the middle of the panel."""
    high = [bar.y - bar.height / 2 for bar in placed.bars]
    high += [curve.top for curve in placed.curves]
    low = [
        (bar.y + bar.height / 2) * SCALE
        + names.size * (0.9 + LINE * len(names.lines.get(bar.node, ())))
        for bar in placed.bars
    ]
    middle = (min(high, default=0.0) * SCALE + max(low, default=0.0)) / 2
    return PANEL_TOP + PANEL_TALL / 2 - middle


@dataclass(frozen=True)
class BlockNames:
    """What stands below the bars, in lines by node, all of one size."""

    lines: dict[str, list[str]]
    size: float


def _names(content: Content, bars: Sequence[Bar], room: float) -> BlockNames:
    """The names of blocks in the largest size in which all fit, in one line or two."""
    names = {bar.node: line_of(content.graph.nodes[bar.node].block) for bar in bars}
    lines: dict[str, list[str]] = {}
    for size in NAME_SIZES:
        lines = {node: _lines(name, room, Letters(size, 500)) for node, name in names.items()}
        if all(lines.values()):
            return BlockNames(lines, size)
    last = (NAME_SIZES[-1],)
    cut = {n: [fitted(half, room, last, 500)[0] for half in _halves(names[n])] for n in names}
    return BlockNames({node: lines[node] or cut[node] for node in names}, last[0])


def _lines(name: str, room: float, letters: Letters) -> list[str]:
    """A name in one line, or two; none where neither fits."""
    ways = ([name], _halves(name))
    fits = (way for way in ways if all(width(line, letters) <= room for line in way))
    return next(fits, [])


def _halves(name: str) -> list[str]:
    """A name in two lines, broken at the word that begins nearest to its middle."""
    breaks = [found.start() for found in NEWER_WORD.finditer(name)]
    if not breaks:
        return [name]
    at = min(breaks, key=lambda place: abs(place - len(name) / 2))
    return [name[:at], name[at:]]


def _foot(content: Content, look: Palette) -> Iterator[Shape]:
    brand = Letters(22, 700)
    wide = width("Layerloom", brand)
    figures, letters = fitted(
        "\u2002·\u2002".join(content.figures), RIGHT - EDGE - wide - 100, (25, 23, 21, 18), 500
    )
    yield TextLine(EDGE, 585, figures, letters, look.text)
    yield TextLine(RIGHT, 585, "Layerloom", brand, look.text, "end")
    yield from _mark(RIGHT - wide - 46, 560, 34 / 32)


def _mark(x: float, y: float, scale: float) -> Iterator[Shape]:
    """The mark of Layerloom, app/theme/mark.svg."""
    yield Box(x, y, 32 * scale, 32 * scale, 8 * scale, BRAND)
    for first, last in ((10, 22), (22, 10)):
        points = ((14, first), (19, first), (19, last), (24, last))
        yield Line(tuple((x + a * scale, y + b * scale) for a, b in points), "#D6D6F5", 2 * scale)
        straight = ((8, first), (10, first), (12, first), (14, first))
        yield Line(tuple((x + a * scale, y + b * scale) for a, b in straight), "#D6D6F5", 2 * scale)
    for left, top in ((5, 7), (5, 19), (21, 7), (21, 19)):
        yield Box(x + left * scale, y + top * scale, 6 * scale, 6 * scale, 2 * scale, "#FFFFFF")
