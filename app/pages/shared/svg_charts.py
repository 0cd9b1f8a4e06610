"""Bars, named lines and grids of shades as SVG, with a text for readers; fit for both schemes."""

from collections.abc import Sequence
from math import isfinite

from app.pages.shared.markup import escape
from app.pages.shared.svg_plots import FRAME, HUES, TEXT, as_image

WIDTH, ROW, NAMES, VALUES = 640.0, 20.0, 232.0, 86.0
LETTER, LONGEST = 6.8, 34
TALL, LEFT, BELOW, EDGE, OVER = 260.0, 56.0, 36.0, 8.0, 14.0
CELL_MOST, GRID = 46.0, 420.0
LEAST_WRITTEN, GROUND, MOST_BEHIND = 34.0, "#262837", 0.8
"""Pixels of a cell that has room for its number; what is behind numbers, and how much of a hue."""
MOST = 40
"""Bars that are drawn; further ones are counted below."""


def bars(names: Sequence[str], values: Sequence[float], words: str) -> str:
    """Return an <img> of a bar for each value, its name before and its number behind."""
    shown = [v if isfinite(v) else 0.0 for v in values[:MOST]]
    largest = max(map(abs, shown), default=0.0) or 1.0
    room = WIDTH - NAMES - VALUES
    rows = "".join(
        _bar(index * ROW, str(name), value, abs(value) / largest * room)
        for index, (name, value) in enumerate(zip(names, shown, strict=False))
    )
    left = len(values) - len(shown)
    more = _text(NAMES, len(shown) * ROW + 14, f"and {left} more", "start") if left else ""
    tall = len(shown) * ROW + (ROW if left else 0) + 4
    return as_image(f"{_open(WIDTH, tall)}{rows}{more}</svg>", words, WIDTH)


def _bar(top: float, name: str, value: float, wide: float) -> str:
    label = name if len(name) <= LONGEST else f"{name[: LONGEST - 1]}…"
    number = _text(NAMES + max(wide, 1) + 6, top + 14, _number(value), "start")
    return (
        f"{_text(NAMES - 8, top + 14, label, 'end')}"
        f'<rect x="{NAMES:g}" y="{top + 3:g}" width="{max(wide, 1):.1f}" height="{ROW - 6:g}" '
        f'rx="2" fill="{HUES[0]}"/>{number}'
    )


def _number(value: float) -> str:
    return f"{value:,.0f}" if value == int(value) and abs(value) < 1e9 else f"{value:.4g}"


def named_lines(
    xs: Sequence[float],
    lines: Sequence[tuple[str, Sequence[float]]],
    axes: tuple[str, str],
    words: str,
) -> str:
    """Return an <img> of lines over the same x, each with its name at the right. axes: names."""
    every = [y for _, ys in lines for y in ys if isfinite(y)] or [0.0]
    low, high = min(every), max(every)
    right = WIDTH - min(max((LETTER * len(name) + 10 for name, _ in lines), default=0.0), NAMES)
    across = _scale(min(xs), max(xs), LEFT + EDGE, right - EDGE)
    top = EDGE + (OVER if axes[1] else 0.0)
    up = _scale(low, high, TALL - BELOW - EDGE, top)
    drawn = "".join(
        _line(
            [(across(x), up(y)) for x, y in zip(xs, ys, strict=True) if isfinite(y)],
            HUES[i % len(HUES)],
        )
        for i, (_, ys) in enumerate(lines)
    )
    last_at = max(range(len(xs)), key=xs.__getitem__, default=-1)
    heights = [ys[last_at] for _, ys in lines]
    ends = sorted((up(y) if isfinite(y) else top, i) for i, y in enumerate(heights))
    names, last = "", -20.0
    for y, index in ends:  # names keep clear of each other
        last = max(y, last + 14)
        names += (
            f'<text x="{right + 4:g}" y="{last + 4:.1f}" font-family="sans-serif" '
            f'font-size="12" fill="{HUES[index % len(HUES)]}">'
            f"{escape(lines[index][0])}</text>"
        )
    marks = "".join(_text(LEFT - 6, up(y) + 4, f"{y:.3g}", "end") for y in {low, high})
    ticks = "".join(_text(across(x), TALL - 18, f"{x:.3g}", "middle") for x in {min(xs), max(xs)})
    ticks += _text((LEFT + right) / 2, TALL - 4, axes[0], "middle")
    frame = f'<path d="M{LEFT:g} 0V{TALL - BELOW:g}H{right:g}" fill="none" stroke="{FRAME}"/>'
    over = _text(LEFT + 8, 12, axes[1], "start") if axes[1] else ""
    return as_image(
        f"{_open(WIDTH, TALL)}{frame}{drawn}{names}{marks}{ticks}{over}</svg>", words, WIDTH
    )


def grid(rows: Sequence[Sequence[float]], words: str, numbers: bool = True) -> str:
    """Return an <img> of a matrix: violet above 0, orange below, the stronger the farther.

    numbers: whether each cell says its value, where there is room. It stands in white on a ground
    of its own, dark in both schemes: no grey can be read on all shades.
    """
    tall, wide = len(rows), max(map(len, rows), default=1)
    cell = min(CELL_MOST, GRID / max(tall, wide, 1))
    largest = max((abs(v) for row in rows for v in row if isfinite(v)), default=0.0) or 1.0
    written = numbers and cell >= LEAST_WRITTEN
    cells = "".join(
        f'<rect x="{j * cell:.2f}" y="{i * cell:.2f}" width="{cell + 0.3:.2f}" '
        f'height="{cell + 0.3:.2f}" fill="{HUES[0] if v >= 0 else HUES[1]}" '
        f'fill-opacity="{_strength(v, largest, MOST_BEHIND if written else 1.0):.3f}"/>'
        for i, row in enumerate(rows)
        for j, v in enumerate(row)
    )
    edges = f'width="{wide * cell - 1:.1f}" height="{tall * cell - 1:.1f}"'
    frame = f'<rect x="0.5" y="0.5" {edges} fill="none" stroke="{FRAME}"/>'
    ground = f'<rect x="0.5" y="0.5" {edges} fill="{GROUND}"/>' if written else ""
    values = _values(rows, cell) if written else ""
    return as_image(
        f"{_open(wide * cell, tall * cell)}{ground}{cells}{values}{frame}</svg>", words, wide * cell
    )


def _strength(value: float, largest: float, most: float) -> float:
    return most * abs(value) / largest if isfinite(value) else 0.0


def _values(rows: Sequence[Sequence[float]], cell: float) -> str:
    return "".join(
        f'<text x="{(j + 0.5) * cell:.1f}" y="{(i + 0.5) * cell + 4:.1f}" text-anchor="middle" '
        f'font-family="sans-serif" font-size="12" fill="#ffffff">{v:.2f}</text>'
        for i, row in enumerate(rows)
        for j, v in enumerate(row)
    )


def _open(wide: float, tall: float) -> str:
    return f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide:g} {tall:g}">'


def _line(points: Sequence[tuple[float, float]], colour: str) -> str:
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    dots = "".join(
        f'<circle cx="{x:.1f}" cy="{y:.1f}" r="2.5" fill="{colour}"/>'
        for x, y in points
        if len(points) <= 30
    )
    return f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>{dots}'


def _text(x: float, y: float, text: str, anchor: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" {TEXT}>{escape(text)}</text>'


def _scale(low: float, high: float, start: float, end: float):
    span = high - low

    def place(value: float) -> float:
        return start + (value - low) / span * (end - start) if span else (start + end) / 2

    return place
