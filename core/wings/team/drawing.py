"""The drawing of two versions in one, as elements of SVG: cards from top to bottom, and wires."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from core.common.escaping import xml
from core.common.fonts.lettering import Letters, fitted, width
from core.wings.team.cards import LONGEST, CardWire, DiffCard, Section
from core.wings.team.ink import SIGNS
from core.wings.team.lanes import Lanes, in_lanes

WIDE, PAD, LINE = 244.0, 12.0, 17.0
HEAD = 44.0  # of a card: its name, and what it is
GAP, BETWEEN, THIN = 38.0, 30.0, 26.0  # rows; cards; a lane that only wires use
TITLE = 34.0  # above a composite
MOST_CARDS = 300
PORTS = 26.0  # between wires that end at one card


@dataclass(frozen=True)
class DiffDrawing:
    """Elements of SVG and the room they take, in pixels, from (0, 0) on."""

    elements: tuple[str, ...]
    width: float
    height: float


@dataclass(frozen=True)
class CardPlace:
    """Of a card: its left upper corner and its height."""

    x: float
    y: float
    tall: float


def draw(sections: Sequence[Section]) -> DiffDrawing:
    """Draw all graphs in which something differs, one below the other."""
    elements: list[str] = []
    wide, y = 0.0, 0.0
    for section in sections:
        if section.scope:
            y += TITLE
            title = xml(f"Inside of {section.scope}"[:LONGEST])
            elements.append(text(0, y - 12, title, "ll-t", 15, 600))
        if len(section.cards) > MOST_CARDS:
            count = f"{len(section.cards):,} blocks are too many to draw; the list has them."
            elements.append(text(0, y + 16, count, "ll-q", 13))
            wide, y = max(wide, 480), y + GAP
            continue
        part = _Section(section, y)
        elements += part.elements()
        wide, y = max(wide, part.width), part.bottom + GAP
    return DiffDrawing(tuple(elements), wide, max(0.0, y - GAP))


def text(x: float, y: float, escaped: str, colour: str, size: float, weight: int = 400) -> str:
    """A line of text that is escaped already; (x, y) is the start of its base line."""
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" class="{colour}" font-size="{size:g}" '
        f'font-weight="{weight}">{escaped}</text>'
    )


def fit(words: str, room: float, sizes: Sequence[float], weight: int = 400) -> tuple[str, float]:
    """Words in the largest of the sizes that fits into a room, escaped, and that size."""
    line, letters = fitted(" ".join(words[:LONGEST].split()), room, sizes, weight)
    return xml(line), letters.size


def tall(card: DiffCard) -> float:
    """The height of a card."""
    return HEAD + PAD / 2 + LINE * len(card.lines) if card.about or card.lines else HEAD - 6


class _Section:
    """One graph, from a height on."""

    def __init__(self, section: Section, top: float) -> None:
        self.section, self.top = section, top
        names = [card.name for card in section.cards]
        self.lanes: Lanes = in_lanes(names, [(k.source, k.target) for k in section.links])
        self.lefts, self.width = self._columns()
        self.rows, self.bottom = self._rows()
        self.places = {
            card.name: CardPlace(
                self.lefts[self.lanes.lanes[card.name]],
                self.rows[self.lanes.rows[card.name]][0],
                tall(card),
            )
            for card in section.cards
        }

    def _columns(self) -> tuple[dict[int, float], float]:
        with_cards = set(self.lanes.lanes.values())
        used = with_cards | {lane for lane, _, _ in self.lanes.passing.values()}
        lefts: dict[int, float] = {}
        x = 0.0
        for lane in sorted(used):
            lefts[lane] = x
            x += WIDE + BETWEEN if lane in with_cards else THIN
        return lefts, x

    def _rows(self) -> tuple[dict[int, tuple[float, float]], float]:
        """Top and bottom of each row, and of the last the bottom."""
        height: dict[int, float] = {}
        for card in self.section.cards:
            row = self.lanes.rows[card.name]
            height[row] = max(height.get(row, 0.0), tall(card))
        spans: dict[int, tuple[float, float]] = {}
        y = self.top
        for row in sorted(height):
            spans[row] = y, y + height[row]
            y += height[row] + GAP
        return spans, y - GAP

    def elements(self) -> Iterator[str]:
        ending: dict[str, list[CardWire]] = {}
        for link in self.section.links:
            ending.setdefault(link.target, []).append(link)
        for links in ending.values():
            in_order = sorted(links, key=lambda link: self._coming_from(link))
            for number, link in enumerate(in_order):
                yield from self._wire(link, (number - (len(links) - 1) / 2) * _step(len(links)))
        for card in self.section.cards:
            yield from _card(card, self.places[card.name])

    def _coming_from(self, link: CardWire) -> float:
        return self._lane_of(link) or self.places[link.source].x + WIDE / 2

    def _lane_of(self, link: CardWire) -> float:
        """The middle of the lane in which a wire passes cards by, 0 where it passes none."""
        rows, passing = self.lanes.rows, self.lanes.passing.get(link.source)
        if passing is None or rows[link.target] <= rows[link.source] + 1:
            return 0.0
        lane = passing[0]
        broad = lane in self.lanes.lanes.values()
        return self.lefts[lane] + (WIDE if broad else THIN) / 2

    def _wire(self, link: CardWire, beside: float) -> Iterator[str]:
        source, target = self.places[link.source], self.places[link.target]
        x1, y1 = source.x + WIDE / 2, source.y + source.tall
        x2, y2 = target.x + WIDE / 2 + beside, target.y - 7
        lane, rows = self._lane_of(link), self.lanes.rows
        if (link.source, link.target) in self.lanes.upward:
            way = _upward((source.x + WIDE, y1 - 16), (target.x + WIDE, target.y + 16), self.width)
            yield f'<path class="ll-w {link.kind}" d="{way}" {_stroke(link)}/>'
            yield _point(target.x + WIDE, target.y + 16, link.kind, sideways=True)
            return
        way = f"M{x1:.1f} {y1:.1f}"
        if lane:
            top, bottom = self.rows[rows[link.source] + 1][0], self.rows[rows[link.target] - 1][1]
            way += _curve((x1, y1), (lane, top)) + f"L{lane:.1f} {bottom:.1f}"
            x1, y1 = lane, bottom
        way += _curve((x1, y1), (x2, y2))
        yield f'<path class="ll-w {link.kind}" d="{way}" {_stroke(link)}/>'
        yield _point(x2, target.y, link.kind)
        if link.label:
            label, size = fit(link.label, PORTS * 3, (11,))
            yield text(x2 + 7, target.y - 6, label, "ll-q", size)


def _step(count: int) -> float:
    """Between wires that end at one card."""
    return min(PORTS, (WIDE - 40) / count)


def _stroke(link: CardWire) -> str:
    wide = 1.5 if link.kind == "same" else 2.5
    dashes = ' stroke-dasharray="7 5"' if link.kind == "removed" else ""
    return f'stroke-width="{wide}"{dashes}'


def _curve(start: tuple[float, float], end: tuple[float, float]) -> str:
    (x1, y1), (x2, y2) = start, end
    middle = (y1 + y2) / 2
    return f"C{x1:.1f} {middle:.1f} {x2:.1f} {middle:.1f} {x2:.1f} {y2:.1f}"


def _upward(start: tuple[float, float], end: tuple[float, float], right: float) -> str:
    """A wire against the order: out on the right side, and in there."""
    (x1, y1), (x2, y2) = start, end
    out = max(x1, x2) + BETWEEN * 0.8
    return f"M{x1:.1f} {y1:.1f}C{out:.1f} {y1:.1f} {out:.1f} {y2:.1f} {x2 + 7:.1f} {y2:.1f}"


def _point(x: float, y: float, kind: str, sideways: bool = False) -> str:
    """The head of an arrow that ends here."""
    corners = ((0, 0), (9, -5), (9, 5)) if sideways else ((0, 0), (-5, -9), (5, -9))
    points = " ".join(f"{x + dx:.1f},{y + dy:.1f}" for dx, dy in corners)
    return f'<polygon class="ll-a {kind}" points="{points}"/>'


def _card(card: DiffCard, place: CardPlace) -> Iterator[str]:
    dashes = ' stroke-dasharray="6 4"' if card.kind == "removed" else ""
    yield (
        f'<rect class="ll-card {card.kind}" x="{place.x:.1f}" y="{place.y:.1f}" width="{WIDE:g}" '
        f'height="{place.tall:.1f}" rx="9" stroke-width="{1 if card.kind == "same" else 1.8}"'
        f"{dashes}/>"
    )
    sign, x = SIGNS[card.kind], place.x + PAD
    if sign:
        yield text(x, place.y + 21, sign, f"ll-s {card.kind}", 17, 700)
        x += max(20.0, width(sign, Letters(17, 700)) + 5)
    colour = "ll-q" if card.kind == "same" else "ll-t"
    room = WIDE - PAD - (x - place.x)
    title, size = fit(card.title, room, (14, 13), 600)
    yield text(x, place.y + (21 if card.about else 24), title, colour, size, 600)
    if card.about:
        about, size = fit(card.about, room, (12,))
        yield text(x, place.y + 38, about, "ll-q", size)
    for number, line in enumerate(card.lines):
        words, size = fit(line, room, (12, 11.5, 11))
        yield text(x, place.y + HEAD + 13 + number * LINE, words, colour, size)
