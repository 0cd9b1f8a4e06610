"""Two versions as one picture: title, legend, drawing, and beside it settings, shapes and costs.

An SVG with its typeface in it: no script, nothing loaded, every text of a project escaped.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from core.common import fonts
from core.common.escaping import xml
from core.common.fonts.lettering import FACE, Letters, width
from core.wings.team.cards import KINDS, LONGEST, Section, sections
from core.wings.team.compared import TwoVersions, words
from core.wings.team.drawing import DiffDrawing, draw, fit, text
from core.wings.team.ink import SIGNS, Ground, rules
from core.wings.team.side_by_side import SideBySide
from core.wings.team.tables import DiffRow, remarks, tables

EDGE, PANEL, APART = 32.0, 440.0, 48.0
HEAD = 104.0
PANEL_SIZES = (13, 12, 11)
LEAST, LEGEND = 480.0, 640.0  # widths of no drawing, and of all that a legend may have
MOST_ROWS = 40
"""Rows of a table in the picture; the page has all."""
WORDS = {
    "added": "added",
    "removed": "removed",
    "changed": "changed",
    "renamed": "renamed",
    "moved": "moved",
    "same": "unchanged",
}


@dataclass(frozen=True)
class Figure:
    """What is drawn. names: of the two versions. costs: None where nothing was analysed."""

    compared: TwoVersions
    names: tuple[str, str]
    costs: SideBySide | None = None

    @property
    def title(self) -> str:
        """Both names in a line."""
        return f"{self.names[0]} → {self.names[1]}"

    def sections(self) -> list[Section]:
        """The graphs that are drawn."""
        return sections(self.compared, self.costs.shapes if self.costs else None)


def picture(figure: Figure, ground: Ground = "auto") -> str:
    """The whole picture as a file of its own."""
    parts = figure.sections()
    drawing, panel = draw(parts), _panel(figure)
    left = max(drawing.width, LEAST if not parts else 0)
    elements = [
        *_head(figure, left + APART + PANEL, parts),
        _at(EDGE, HEAD + EDGE, drawing.elements or _nothing()),
        _at(EDGE + left + APART, HEAD + EDGE, panel.elements),
    ]
    tall = HEAD + max(drawing.height, panel.height, 40) + 2 * EDGE
    return _document(figure, elements, (left + APART + PANEL + 2 * EDGE, tall), ground)


def drawing_alone(figure: Figure, ground: Ground = "auto") -> str:
    """The drawing with its legend, for a page that has the rest; "" where no block differs."""
    parts = figure.sections()
    if not parts:
        return ""
    drawing = draw(parts)
    size = max(drawing.width + 4, LEGEND), drawing.height + 40
    elements = [_at(2, 14, _legend(parts)), _at(2, 36, drawing.elements)]
    return _document(figure, elements, size, ground)


def _document(
    figure: Figure, elements: Sequence[str], size: tuple[float, float], ground: Ground
) -> str:
    wide, tall = (round(side) for side in size)
    label = xml(f"{figure.title}: {words(figure.compared)}")
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide} {tall}" width="{wide}" '
        f'height="{tall}" role="img" aria-label="{label}" '
        f'font-family="{fonts.SANS}, system-ui, sans-serif"><title>{label}</title>'
        f"<style>{fonts.embedded(FACE)}{rules(ground)}</style>"
        f'<rect class="ll-page" width="{wide}" height="{tall}"/>{"".join(elements)}</svg>\n'
    )


def _at(x: float, y: float, elements: Sequence[str]) -> str:
    return f'<g transform="translate({x:g} {y:g})">{"".join(elements)}</g>'


def _nothing() -> list[str]:
    return [text(0, 16, "The drawing is the same.", "ll-q", 14)]


def _head(figure: Figure, room: float, parts: Sequence[Section]) -> Iterator[str]:
    title, size = fit(figure.title, room, (22, 20, 18, 16), 700)
    yield text(EDGE, 48, title, "ll-t", size, 700)
    said, size = fit(words(figure.compared), room, (14,))
    yield text(EDGE, 74, said, "ll-q", size)
    yield _at(EDGE, 104, _legend(parts))


def _legend(parts: Sequence[Section]) -> list[str]:
    """A sign with its word for each kind that is drawn."""
    present = {card.kind for part in parts for card in part.cards}
    present |= {link.kind for part in parts for link in part.links}
    elements: list[str] = []
    x = 0.0
    for kind in KINDS:
        if kind in present:
            elements.append(
                f'<rect class="ll-card {kind}" x="{x:.1f}" y="-13" width="18" height="18" rx="5"/>'
            )
            elements.append(
                f'<text x="{x + 9:.1f}" y="1" class="ll-s {kind}" font-size="13" '
                f'font-weight="700" text-anchor="middle">{SIGNS[kind]}</text>'
            )
            elements.append(text(x + 25, 1, WORDS[kind], "ll-q", 13))
            x += 25 + width(WORDS[kind], Letters(13)) + 22
    return elements


def _panel(figure: Figure) -> DiffDrawing:
    """Tables as lines of text: the name of a row, and old and new below it."""
    panel = _Lines()
    for table in tables(figure.compared, figure.costs):
        panel.add(table.title, 24, "ll-t", (15, 14), 600)
        panel.rule()
        for row in table.rows[:MOST_ROWS]:
            panel.add(row.name, 22, "ll-q", (12,))
            for line in _one_or_two(row):
                panel.add(line, 18, "ll-t", PANEL_SIZES)
        if (rest := len(table.rows) - MOST_ROWS) > 0:
            panel.add(f"and {rest:,} more", 22, "ll-q", (12,))
        panel.below += 18
    for sentence in remarks(figure.compared, figure.costs):
        panel.add(sentence, 20, "ll-q", (12, 11))
    return DiffDrawing(tuple(panel.elements), PANEL, panel.below)


def _one_or_two(row: DiffRow) -> tuple[str, ...]:
    """Old and new in a line, or in two where that is too long."""
    line = " ".join(row.arrow[:LONGEST].split())
    fits = width(line, Letters(PANEL_SIZES[-1])) <= PANEL
    return (row.arrow,) if fits else (row.was, f"→ {row.now}")


class _Lines:
    """Lines of text below each other."""

    def __init__(self) -> None:
        self.elements: list[str] = []
        self.below = 0.0

    def add(
        self, words: str, by: float, colour: str, sizes: Sequence[float], weight: int = 400
    ) -> None:
        self.below += by
        fitting, size = fit(words, PANEL, sizes, weight)
        self.elements.append(text(0, self.below, fitting, colour, size, weight))

    def rule(self) -> None:
        self.below += 8
        self.elements.append(f'<path class="ll-rule" d="M0 {self.below:.1f}H{PANEL:g}"/>')
