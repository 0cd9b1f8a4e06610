"""Small plots of predictions: points against the diagonal, series, and a map of embeddings."""

from collections.abc import Sequence

from core.common.escaping import xml
from core.runs.curve_chart import steps

WIDE, TALL, LEFT, BELOW = 420.0, 260.0, 62.0, 26.0
SERIES_TALL = 150.0
LINE, OTHER, GREY = "#6864d9", "#cf711f", "#85879a"
HUES = (LINE, OTHER, "#259467", "#d4477f", "#2489c2", "#9c7d17", "#9b59c6", "#c4533f")
"""Of the middle between black and white: they are seen on a light page and on a dark one."""
Values = Sequence[float]


def against(true: Values, predicted: Values, spans: tuple[Values, Values] | None = None) -> str:
    """Predictions above their targets; on the dashed line both are equal. spans: of each
    prediction, its low and its high end."""
    every = [*true, *predicted, *(y for end in spans or () for y in end)]
    plot = _Axes(every, every, TALL)
    low, high = min(every), max(every)
    lines = [plot.path([low, high], [low, high], GREY, ' stroke-dasharray="4 4"')]
    for x, low_y, high_y in zip(true, *(spans or ((), ())), strict=False):
        lines.append(plot.path([x, x], [low_y, high_y], LINE, ' opacity="0.3"'))
    points = [plot.point(x, y, LINE) for x, y in zip(true, predicted, strict=True)]
    return plot.svg([*lines, *points])


def series(true: Values, predicted: Values) -> str:
    """A series as it came, dashed, and as it was predicted."""
    places = [float(n) for n in range(1, len(true) + 1)]
    plot = _Axes(places, [*true, *predicted], SERIES_TALL)
    dashed = plot.path(places, true, OTHER, ' stroke-dasharray="4 3"')
    return plot.svg([dashed, plot.path(places, predicted, LINE)])


def places(xs: Values, ys: Values, kinds: Sequence[int], names: Sequence[str]) -> str:
    """Points of several classes, each the name of its class where that is short."""
    plot = _Axes(xs, ys, TALL)
    short = all(len(name) <= 2 for name in names)
    return plot.svg(
        plot.sign(x, y, names[k] if short else chr(65 + k % 26), HUES[k % len(HUES)])
        for x, y, k in zip(xs, ys, kinds, strict=True)
    )


class _Axes:
    """Round numbers along both axes, around these values."""

    def __init__(self, xs: Values, ys: Values, tall: float) -> None:
        self.tall = tall
        self.across, self.up = (steps(min(v), max(v)) if v else [0.0, 1.0] for v in (xs, ys))

    def x(self, value: float) -> float:
        first, last = self.across[0], self.across[-1]
        return LEFT + (value - first) / (last - first) * (WIDE - LEFT - 10)

    def y(self, value: float) -> float:
        first, last = self.up[0], self.up[-1]
        return 8 + (last - value) / (last - first) * (self.tall - BELOW - 8)

    def path(self, xs: Values, ys: Values, colour: str, more: str = "") -> str:
        points = " ".join(f"{self.x(x):.1f},{self.y(y):.1f}" for x, y in zip(xs, ys, strict=True))
        return (
            f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="1.8"{more}/>'
        )

    def point(self, x: float, y: float, colour: str) -> str:
        at = f'cx="{self.x(x):.1f}" cy="{self.y(y):.1f}"'
        return f'<circle {at} r="3" fill="{colour}" opacity="0.6"/>'

    def sign(self, x: float, y: float, name: str, colour: str) -> str:
        return (
            f'<text x="{self.x(x):.1f}" y="{self.y(y) + 4:.1f}" fill="{colour}" '
            f'text-anchor="middle" font-weight="600">{xml(name)}</text>'
        )

    def svg(self, elements: object) -> str:
        """The drawing, with a line of the grid for each number."""
        grid = [
            f'<path d="M{LEFT:g} {self.y(v):.1f}H{WIDE:g}" stroke="{GREY}" opacity="0.25"/>'
            f'<text x="{LEFT - 6:g}" y="{self.y(v) + 4:.1f}" text-anchor="end">{v:g}</text>'
            for v in self.up
        ]
        grid += [
            f'<text x="{self.x(v):.1f}" y="{self.tall - 6:g}" text-anchor="middle">{v:g}</text>'
            for v in (self.across[0], self.across[-1])
        ]
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDE:g} {self.tall:g}" '
            f'width="{WIDE:g}" height="{self.tall:g}" font-family="system-ui, sans-serif" '
            f'font-size="11" fill="{GREY}">{"".join([*grid, *elements])}</svg>'  # type: ignore[misc]
        )
