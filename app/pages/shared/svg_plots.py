"""Small SVG plots of lines and points, with a text for screen readers; fit for light and dark."""

import base64
from collections.abc import Sequence

from app.pages.shared import markup

WIDTH, HEIGHT, EDGE = 420.0, 130.0, 6.0
SMALL, LARGE = (WIDTH, HEIGHT), (960.0, 300.0)
"""Width and height of a line: beside a field, or as the picture that one came to see."""
SQUARE, PLANE, PLANE_TALL, AROUND = 230.0, 600.0, 340.0, 32.0
LEFT, BELOW = 58.0, 20.0  # room for the numbers at the axes
LONGEST = 7  # characters of a number beside an axis
ROUND = 'stroke-width="2" stroke-linejoin="round" stroke-linecap="round"'
DOTTED = 'stroke-width="1.5" stroke-dasharray="2 3"'
LINE, FRAME, MARK = "#6864d9", "rgba(128,128,160,0.35)", "#d97b29"
HUES = (
    "#6864d9",
    "#cf711f",
    "#259467",
    "#d4477f",
    "#2489c2",
    "#9c7d17",
    "#9b59c6",
    "#c4533f",
    "#4c8a2c",
    "#767b90",
)
TEXT = 'font-family="sans-serif" font-size="12" fill="#777890"'
Points = Sequence[float]


def line(
    xs: Points,
    ys: Points,
    words: str,
    ticks: Sequence[tuple[float, str]],
    marks: Points = (),
    others: Sequence[Points] = (),
    size: tuple[float, float] = SMALL,
    paths: Sequence[Sequence[tuple[float, float]]] = (),
) -> str:
    """Return an <img> of the line through the points; `words` say what it shows.

    ticks: (x, text) below the x axis. marks: x of dashed vertical lines. others: further lines,
    dotted. paths: further lines with x of their own, dotted.
    """
    drawn = [(xs, each) for each in others]
    drawn += [([x for x, _ in each], [y for _, y in each]) for each in paths]
    every = [y for each in (ys, *(points[1] for points in drawn)) for y in each]
    wide, tall = size
    across, up = _Scale(xs, LEFT, wide), _Scale(every, BELOW, tall)
    floor = tall - BELOW
    dotted = "".join(_polyline(across, up, x, y, DOTTED, MARK, tall) for x, y in drawn)
    whole = _polyline(across, up, xs, ys, ROUND, LINE, tall)
    dashes = "".join(
        f'<path d="M{across(x):.1f} 0V{floor:g}" stroke="{MARK}" stroke-width="1.5" '
        'stroke-dasharray="4 3"/>'
        for x in marks
    )
    heights = "".join(
        _text(LEFT - 6, tall - up(y) + 4, _number(y), "end") for y in {min(every), max(every)}
    )
    svg = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide:g} {tall:g}">'
        f'<path d="M{LEFT + 0.5} 0V{floor - 0.5:g}H{wide:g}" fill="none" stroke="{FRAME}"/>'
        f"{dashes}{dotted}{whole}{heights}{_numbers(across, ticks, size)}</svg>"
    )
    return as_image(svg, words, wide)


def _number(value: float) -> str:
    """A number that fits beside an axis: 0.00123, 9.99e-4."""
    text = f"{value:.3g}"
    if "e" not in text and len(text) > LONGEST:
        text = f"{value:.2e}"
    digits, e, power = text.partition("e")
    return f"{digits}{e}{int(power)}" if e else text


def _polyline(
    across: "_Scale", up: "_Scale", xs: Points, ys: Points, stroke: str, colour: str, tall: float
) -> str:
    points = " ".join(f"{across(x):.1f},{tall - up(y):.1f}" for x, y in zip(xs, ys, strict=True))
    return f'<polyline points="{points}" fill="none" stroke="{colour}" {stroke}/>'


def sketch(training: str, validation: str) -> str:
    """Return an <img> of two curves, paths in a box of 430 by 180, that are of no run yet."""
    svg = (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 430 180" fill="none">'
        f'<path d="M46.5 8V165.5H430" stroke="{FRAME}"/>'
        '<path d="M47 60H430M47 112H430" stroke="rgba(128,128,160,0.16)"/>'
        f'<path d="{training}" stroke="{MARK}" stroke-width="1.5" stroke-dasharray="5 4" '
        f'opacity="0.5"/><path d="{validation}" stroke="{LINE}" stroke-width="2" opacity="0.5"/>'
        "</svg>"
    )
    return as_image(svg, "", 700)


def trade_off(places: Sequence[tuple[float, float]], best: int = 4) -> str:
    """Return an <img> of points in a box of 430 by 180, a line of steps through the first ones."""
    (left, top), *front = places[:best]
    steps = f"M{left:g} {top:g}{''.join(f'H{x:g}V{y:g}' for x, y in front)}H430"
    points = "".join(
        f'<circle cx="{x:g}" cy="{y:g}" r="5" fill="{LINE if number < best else MARK}" '
        f'opacity="{0.65 if number < best else 0.4}"/>'
        for number, (x, y) in enumerate(places)
    )
    svg = (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 430 180" fill="none">'
        f'<path d="M46.5 8V165.5H430" stroke="{FRAME}"/>'
        f'<path d="{steps}" stroke="{LINE}" stroke-width="2" opacity="0.4"/>{points}</svg>'
    )
    return as_image(svg, "", 700)


def parallel(axes: Points, lines: Sequence[Points]) -> str:
    """Return an <img> of parallel axes at these x of 860, with lines that are of no sweep yet."""
    drawn = "".join(
        '<polyline points="'
        + " ".join(f"{x:g},{200 - 180 * y:g}" for x, y in zip(axes, line, strict=True))
        + f'" fill="none" stroke="{LINE}" stroke-width="{3 if last else 2}" '
        f'opacity="{0.65 if last else 0.3}" stroke-linejoin="round"/>'
        for line, last in zip(lines, [False] * (len(lines) - 1) + [True], strict=True)
    )
    bars = "".join(f'<path d="M{x:g} 12V208" stroke="{FRAME}" stroke-width="1.5"/>' for x in axes)
    svg = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 860 220">{bars}{drawn}</svg>'
    return as_image(svg, "", 1100)


def dots(
    xs: Points,
    ys: Points,
    words: str,
    interval: tuple[Points, Points] | None = None,
    marked: int | None = None,
) -> str:
    """Return an <img> of points, both axes alike, and the diagonal on which both are the same.

    interval: low and high ends of a vertical line behind each point. marked: a point with a ring.
    """
    every = [*xs, *ys, *(y for end in interval or () for y in end)]
    across, up = _Scale(every, LEFT, LEFT + SQUARE), _Scale(every, BELOW, BELOW + SQUARE)
    tall, low, high = BELOW + SQUARE, min(every), max(every)
    points = "".join(
        f'<circle cx="{across(x):.1f}" cy="{tall - up(y):.1f}" r="3" fill="{LINE}" opacity="0.55"/>'
        for x, y in zip(xs, ys, strict=True)
    )
    spans = "".join(
        f'<path d="M{across(x):.1f} {tall - up(a):.1f}V{tall - up(b):.1f}" stroke="{LINE}" '
        'stroke-width="2" opacity="0.22"/>'
        for x, a, b in zip(xs, *(interval or ([], [])), strict=bool(interval))
    )
    ring = (
        ""
        if marked is None
        else (
            f'<circle cx="{across(xs[marked]):.1f}" cy="{tall - up(ys[marked]):.1f}" r="7" '
            f'fill="none" stroke="{MARK}" stroke-width="2.5"/>'
        )
    )
    same = f"{across(low):.1f},{tall - up(low):.1f} {across(high):.1f},{tall - up(high):.1f}"
    ends = "".join(
        _text(LEFT - 6, tall - up(v) + 4, f"{v:.3g}", "end")
        + _text(across(v), tall - 5, f"{v:.3g}", "middle")
        for v in {low, high}
    )
    svg = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH:g} {tall:g}">'
        f'<path d="M{LEFT + 0.5} 0V{SQUARE - 0.5:g}H{LEFT + SQUARE:g}" fill="none" '
        f'stroke="{FRAME}"/><polyline points="{same}" stroke="{MARK}" stroke-width="1.5" '
        f'stroke-dasharray="4 3"/>{spans}{points}{ring}{ends}</svg>'
    )
    return as_image(svg, words)


def glyphs(names: Sequence[str]) -> list[str]:
    """A sign for each class: its name where all are short, else letters."""
    if all(len(name) <= 2 for name in names):
        return list(names)
    letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
    return [letters[k % 26] + ("" if k < 26 else str(k // 26)) for k in range(len(names))]


def on_plane(xs: Points, ys: Points) -> list[tuple[float, float]]:
    """Where points lie on a plane of PLANE by PLANE_TALL, both axes on one scale."""
    across, up = PLANE - AROUND, PLANE_TALL - AROUND
    unit = min(across / (_span(xs) or 1.0), up / (_span(ys) or 1.0))
    middle_x, middle_y = (min(xs) + max(xs)) / 2, (min(ys) + max(ys)) / 2
    return [
        (PLANE / 2 + (x - middle_x) * unit, PLANE_TALL / 2 - (y - middle_y) * unit)
        for x, y in zip(xs, ys, strict=True)
    ]


def places(xs: Points, ys: Points, kinds: Sequence[int], names: Sequence[str], words: str) -> str:
    """Return an <img> of points on a plane with one scale, each the sign of its class."""
    signs = [markup.escape(sign) for sign in glyphs(names)]
    points = "".join(
        f'<text x="{x:.1f}" y="{y + 4:.1f}" fill="{HUES[kind % len(HUES)]}">{signs[kind]}</text>'
        for (x, y), kind in zip(on_plane(xs, ys), kinds, strict=True)
    )
    svg = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {PLANE:g} {PLANE_TALL:g}">'
        f'<rect x="0.5" y="0.5" width="{PLANE - 1:g}" height="{PLANE_TALL - 1:g}" rx="8" '
        f'fill="none" stroke="{FRAME}"/><g font-family="sans-serif" font-size="11" '
        f'font-weight="600" text-anchor="middle">{points}</g></svg>'
    )
    return as_image(svg, words, PLANE)


def _span(values: Points) -> float:
    return max(values) - min(values)


def as_image(svg: str, words: str, wide: float = WIDTH) -> str:
    """The drawing as an <img> at most so many pixels wide; `words` say what it shows."""
    data = base64.b64encode(svg.encode()).decode()
    return (
        f'<img alt="{markup.escape(words)}" width="100%" '
        f'style="display:block;max-width:{wide:g}px" '
        f'src="data:image/svg+xml;base64,{data}">'
    )


def _numbers(
    across: "_Scale", ticks: Sequence[tuple[float, str]], size: tuple[float, float]
) -> str:
    """The tick labels below the x axis; the last one ends at the edge."""
    last, (wide, tall) = len(ticks) - 1, size
    return "".join(
        _text(wide if edge else across(x), tall - 5, text, "end" if edge else "middle")
        for edge, x, text in (
            (i == last and across(x) > wide - 40, x, t) for i, (x, t) in enumerate(ticks)
        )
    )


def _text(x: float, y: float, text: str, anchor: str) -> str:
    attributes = f'x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"'
    return f"<text {attributes} {TEXT}>{markup.escape(text)}</text>"


class _Scale:
    """Places values from `start` to `end`; values that are all the same in the middle."""

    def __init__(self, values: Points, start: float, end: float) -> None:
        self.low, self.start = min(values), start + EDGE
        self.length, self.span = end - start - 2 * EDGE, max(values) - self.low

    def __call__(self, value: float) -> float:
        share = (value - self.low) / self.span if self.span else 0.5
        return self.start + share * self.length
