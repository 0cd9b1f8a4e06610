"""Plots of a card, drawn from the variables of its script: one function for each kind."""

from collections.abc import Callable, Mapping
from typing import Any

from app.pages.shared import svg_charts
from app.pages.shared.markup import escape
from core.wings.cards.card import CardPicture

Values = Mapping[str, Any]


def picture_html(picture: CardPicture, values: Values) -> str:
    """A plot with its title above and its caption below."""
    return (
        f'<figure class="ll-card-picture"><b>{escape(picture.title)}</b>'
        f"{KINDS[picture.kind](picture, values)}"
        f"<figcaption>{escape(picture.words)}</figcaption></figure>"
    )


def _bars(picture: CardPicture, values: Values) -> str:
    names, *heights = (values[name] for name in picture.names)
    if len(heights) == 1:
        return svg_charts.bars(names, heights[0], picture.words)
    several = list(zip(picture.parts, heights, strict=True))
    labels = [f"{name}, {part}" for name in names for part, _ in several]
    drawn = [value for each in zip(*heights, strict=True) for value in each]
    return svg_charts.bars(labels, drawn, picture.words)


def _lines(picture: CardPicture, values: Values) -> str:
    xs, *lines = (values[name] for name in picture.names)
    named = list(zip(picture.parts or [""] * len(lines), lines, strict=True))
    return svg_charts.named_lines(xs, named, picture.axes, picture.words)


def _heat(picture: CardPicture, values: Values) -> str:
    return svg_charts.grid(values[picture.names[0]], picture.words)


def _pixels(picture: CardPicture, values: Values) -> str:
    shown = values[picture.names[0]]
    drawn = "".join(
        f"<li>{svg_charts.grid(rows, f'{picture.words} {i}', numbers=False)}<small>{i}</small></li>"
        for i, rows in enumerate(shown)
    )
    return f'<ol class="ll-card-pixels{" one" if len(shown) == 1 else ""}">{drawn}</ol>'


def _table(picture: CardPicture, values: Values) -> str:
    head = "".join(f'<th scope="col">{escape(part)}</th>' for part in picture.parts)
    rows = "".join(
        "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>"
        for row in values[picture.names[0]]
    )
    return (
        f'<div class="ll-card-table" tabindex="0"><table><thead><tr>{head}</tr></thead>'
        f"<tbody>{rows}</tbody></table></div>"
    )


KINDS: Mapping[str, Callable[[CardPicture, Values], str]] = {
    "bars": _bars,
    "lines": _lines,
    "heat": _heat,
    "pixels": _pixels,
    "table": _table,
}
