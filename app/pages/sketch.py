"""A line in a small picture, for what words say beside it: no axes, colours for light and dark."""

import base64
from collections.abc import Sequence

from app.pages import parts

WIDTH, HEIGHT, EDGE = 420.0, 110.0, 6.0
ROUND = 'stroke-width="2" stroke-linejoin="round" stroke-linecap="round"'
LINE, FRAME, MARK = "#6864d9", "rgba(128,128,160,0.35)", "#d97b29"


def line(
    xs: Sequence[float],
    ys: Sequence[float],
    words: str,
    marks: Sequence[float] = (),
    others: Sequence[Sequence[float]] = (),
) -> str:
    """Return an <img> of the line through the points; `words` say what it shows.

    marks: places on the x axis that a dashed line stands at. others: more lines, dotted.
    """
    across, up = _Scale(xs, WIDTH), _Scale([y for each in (ys, *others) for y in each], HEIGHT)

    def drawn(values: Sequence[float], look: str) -> str:
        points = " ".join(
            f"{across(x):.1f},{HEIGHT - up(y):.1f}" for x, y in zip(xs, values, strict=True)
        )
        return f'<polyline points="{points}" fill="none" stroke="{LINE}" {look}/>'

    dotted = "".join(drawn(each, 'stroke-width="1.5" stroke-dasharray="2 3"') for each in others)
    dashes = "".join(
        f'<path d="M{across(x):.1f} 0V{HEIGHT:g}" stroke="{MARK}" stroke-width="1.5" '
        'stroke-dasharray="4 3"/>'
        for x in marks
    )
    drawing = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH:g} {HEIGHT:g}">'
        f'<path d="M0.5 0V{HEIGHT - 0.5:g}H{WIDTH:g}" fill="none" stroke="{FRAME}"/>{dashes}'
        f"{dotted}{drawn(ys, ROUND)}</svg>"
    )
    data = base64.b64encode(drawing.encode()).decode()
    return (
        f'<img alt="{parts.text(words)}" width="100%" style="display:block;max-width:420px" '
        f'src="data:image/svg+xml;base64,{data}">'
    )


class _Scale:
    """Places values between the edges of a length; values that are all the same in its middle."""

    def __init__(self, values: Sequence[float], length: float) -> None:
        self.low, self.length = min(values), length - 2 * EDGE
        self.span = max(values) - self.low

    def __call__(self, value: float) -> float:
        share = (value - self.low) / self.span if self.span else 0.5
        return EDGE + share * self.length
