"""Plots of the variants: metric against cost, with the Pareto front marked."""

from collections.abc import Sequence

from app.pages.shared import markup, svg_plots
from core.tasks import metric_labels
from core.wings.shrink.rows import Row, cost_of, front

WIDE, TALL, LEFT, BELOW, TOP, RIGHT = 560.0, 300.0, 58.0, 40.0, 14.0, 20.0
DOT, APART = 5.0, 13.0
LETTER = 6.4  # width of one, in a label


def against(rows: Sequence[Row], cost: str, title: str, words: Sequence[str]) -> str:
    """Return an <img> of metric over cost, "" for fewer than two points.

    cost: as `core.wings.shrink.rows.cost_of`. words: the lowest and the highest cost, for the axis.
    """
    points = [(row, cost_of(row, cost)) for row in rows if row.value is not None]
    shown = [(row, x, row.value) for row, x in points if x is not None and row.value is not None]
    if len(shown) < 2:
        return ""
    best = front(rows, cost)
    across = _scale([x for _, x, _ in shown], LEFT + 8, WIDE - RIGHT - 8)
    up = _scale([y for _, _, y in shown], TALL - BELOW - 10, TOP + 10)
    placed = [(row, across(x), up(y)) for row, x, y in shown]
    steps = sorted((x, y) for row, x, y in placed if row.name in best)
    svg = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDE:g} {TALL:g}">'
        f"{_axes(shown, title, words)}{_line(steps)}{_dots(placed, best)}{_labels(placed, best)}"
        "</svg>"
    )
    names = ", ".join(row.name for row, _, _ in shown if row.name in best)
    return svg_plots.as_image(svg, f"Metric against {title}. Best trade-offs: {names}.", WIDE)


def _scale(values: Sequence[float], start: float, end: float):
    low, span = min(values), (max(values) - min(values)) or 1.0
    return lambda value: start + (value - low) / span * (end - start)


def _axes(shown: Sequence[tuple[Row, float, float]], title: str, words: Sequence[str]) -> str:
    floor, values = TALL - BELOW, [y for _, _, y in shown]
    metric = shown[0][0].metric
    ends = ((max(values), TOP + 14), (min(values), floor - 6))
    heights = "".join(
        _text(LEFT - 8, y, metric_labels.shown(metric, value), "end") for value, y in ends
    )
    costs = _text(LEFT + 8, floor + 16, words[0], "start") + _text(
        WIDE - RIGHT, floor + 16, words[1], "end"
    )
    middle = _text((LEFT + WIDE) / 2, floor + 32, title, "middle")
    return (
        f'<path d="M{LEFT + 0.5} {TOP}V{floor + 0.5}H{WIDE - RIGHT}" fill="none" '
        f'stroke="{svg_plots.FRAME}"/>{heights}{costs}{middle}'
    )


def _line(best: Sequence[tuple[float, float]]) -> str:
    """The front as steps: up to the cost of the next variant, nothing is better than this one."""
    if len(best) < 2:
        return ""
    (x, y), *others = best
    path = f"M{x:.1f} {y:.1f}" + "".join(f"H{x:.1f}V{y:.1f}" for x, y in others)
    return f'<path d="{path}" fill="none" stroke="{svg_plots.LINE}" {svg_plots.DOTTED}/>'


def _dots(placed: Sequence[tuple[Row, float, float]], best: set[str]) -> str:
    return "".join(
        f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{DOT}" {_paint(row, best)}/>' for row, x, y in placed
    )


def _paint(row: Row, best: set[str]) -> str:
    colour = svg_plots.MARK if row.way == "original" else svg_plots.LINE
    if row.name in best or row.way == "original":
        return f'fill="{colour}"'
    return 'fill="none" stroke="#8587a0" stroke-width="1.8"'


def _labels(placed: Sequence[tuple[Row, float, float]], best: set[str]) -> str:
    """The name of each point beside it, moved where another one stands already."""
    taken = [(x - DOT, x + DOT, y + 4) for _, x, y in placed]
    parts = list[str]()
    order = sorted(placed, key=lambda each: (each[0].name not in best, each[2]))
    for row, x, y in order:
        wide = len(row.name) * LETTER
        right = x + 10 + wide < WIDE
        start = x + 10 if right else x - 10 - wide
        above = y - DOT - 3 if row.name in best else y + 4  # the front runs beside the best
        height = _free(taken, start, start + wide, above)
        if height is None:
            continue  # too many in one place: the table names it
        taken.append((start, start + wide, height))
        parts.append(_text(start, height, row.name, "start"))
    return "".join(parts)


def _free(
    taken: Sequence[tuple[float, float, float]], left: float, right: float, at: float
) -> float | None:
    """A height near `at` where no other label is, None where there is none."""
    for away in (0.0, -APART, APART, -2 * APART, 2 * APART):
        height = at + away
        apart = all(right < a or left > b or abs(height - h) >= APART for a, b, h in taken)
        if apart and TOP < height < TALL - BELOW:
            return height
    return None


def _text(x: float, y: float, text: str, anchor: str) -> str:
    attributes = f'x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"'
    return f"<text {attributes} {svg_plots.TEXT}>{markup.escape(text)}</text>"
