"""The picture of a front: trials by two objectives, joined where no other one beats them."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from app.pages.shared import markup, svg_plots
from app.wings.sweep.service import SweepView
from core.wings.sweep.objective_text import objective_text

WIDE, TALL, LEFT, BELOW, EDGE = 560.0, 260.0, 64.0, 40.0, 14.0
DECADE = 10.0  # costs that lie so many times apart are drawn on a logarithmic scale
Point = tuple[float, float]


def picture(view: SweepView) -> str:
    """Return an <img> of the second objective across and the first up; "" with fewer than two."""
    first, second = (*view.objectives[:2], {}, {})[:2]
    shown = [(row, point) for row in view.trials if (point := _values(row, second, first))]
    if len(view.objectives) < 2 or len(shown) < 2:
        return ""
    xs, ys = ([point[axis] for _, point in shown] for axis in (0, 1))
    curved = min(xs) > 0 and max(xs) / min(xs) >= DECADE
    across = _scale([math.log(x) for x in xs] if curved else xs, LEFT + EDGE, WIDE - EDGE)
    up = _scale(ys, TALL - BELOW - EDGE, EDGE)
    placed = [(row, (across(math.log(x) if curved else x), up(y))) for row, (x, y) in shown]
    best = [(row, at) for row, at in placed if row.get("trial") in view.front]
    svg = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDE:g} {TALL:g}">'
        f"{_axes(xs, ys, first, second)}{_joined([at for _, at in best])}"
        f"{''.join(_dot(at, row.get('trial') in view.front) for row, at in placed)}"
        f"{''.join(_label(row, at) for row, at in best)}</svg>"
    )
    numbers = ", ".join(str(number) for number in view.front)
    words = f"{_words(first)} against {_words(second)}. On the front: trials {numbers}."
    return svg_plots.as_image(svg, words, WIDE)


def _words(objective: Mapping[str, Any]) -> str:
    return str(objective.get("words") or objective.get("name"))


def _values(row: Mapping[str, Any], *objectives: Mapping[str, Any]) -> Point | None:
    """The values of a finished trial by two objectives; None without them."""
    values = [row.get("values", {}).get(each.get("name")) for each in objectives]
    if row.get("value") is None or any(value is None for value in values):
        return None
    return float(values[0]), float(values[1])


def _scale(values: Sequence[float], start: float, end: float):
    low, span = min(values), (max(values) - min(values)) or 1.0
    return lambda value: start + (value - low) / span * (end - start)


def _axes(
    xs: Sequence[float], ys: Sequence[float], first: Mapping[str, Any], second: Mapping[str, Any]
) -> str:
    """Both axes, with what lies at their ends."""
    floor = TALL - BELOW
    up = _text(LEFT - 8, EDGE + 4, objective_text(first, max(ys)), "end")
    up += _text(LEFT - 8, floor - EDGE + 4, objective_text(first, min(ys)), "end")
    low = _text(LEFT + EDGE, floor + 16, objective_text(second, min(xs)), "start")
    high = _text(WIDE - EDGE, floor + 16, objective_text(second, max(xs)), "end")
    middle = _text((LEFT + WIDE) / 2, floor + 32, _words(second), "middle")
    frame = f'<path d="M{LEFT + 0.5} 0V{floor + 0.5}H{WIDE}" fill="none" '
    return f'{frame}stroke="{svg_plots.FRAME}"/>{up}{low}{high}{middle}'


def _joined(best: Sequence[Point]) -> str:
    """The line from one trial of the front to the next."""
    points = " ".join(f"{x:.1f},{y:.1f}" for x, y in sorted(best))
    return f'<polyline points="{points}" fill="none" stroke="{svg_plots.LINE}" {svg_plots.DOTTED}/>'


def _dot(at: Point, best: bool) -> str:
    fill = svg_plots.LINE if best else svg_plots.FRAME
    return f'<circle cx="{at[0]:.1f}" cy="{at[1]:.1f}" r="{5 if best else 4}" fill="{fill}"/>'


def _label(row: Mapping[str, Any], at: Point) -> str:
    """The number of a trial, beside its point."""
    return _text(at[0], at[1] - 8, str(row.get("trial")), "middle")


def _text(x: float, y: float, text: str, anchor: str) -> str:
    attributes = f'x="{x:.1f}" y="{max(y, 10.0):.1f}" text-anchor="{anchor}" {svg_plots.TEXT}'
    return f"<text {attributes}>{markup.escape(text)}</text>"
