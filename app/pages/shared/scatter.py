"""Scatter plot of samples with two columns: colour and shape by class, validation hollow."""

from app.pages.shared import markup
from app.pages.shared.svg_plots import FRAME, HUES, TEXT, as_image
from app.services.previews import Points

SIDE, LEFT, BELOW, SIZE = 400.0, 46.0, 34.0, 4.6
SHAPES = (
    "M-{r} 0a{r} {r} 0 1 0 {d} 0a{r} {r} 0 1 0 -{d} 0z",
    "M-{r} -{r}h{d}v{d}h-{d}z",
    "M0 -{t}L{t} {r}H-{t}z",
    "M0 -{t}L{t} 0L0 {t}L-{t} 0z",
    "M-{t} -{t}L0 -{h}L{t} -{t}L{h} 0L{t} {t}L0 {h}L-{t} {t}L-{h} 0z",
    "M0 {t}L{t} -{r}H-{t}z",
)
"""A circle, a square, a triangle, a diamond, a cross, an inverted triangle."""


def figure(points: Points) -> str:
    """Return the points with axes and a legend of colours and shapes below."""
    signs = "".join(
        f"<li>{_sign(k)}{markup.escape(name)}</li>" for k, name in enumerate(points.classes)
    )
    parts = (
        f"<li>{_sign(0, grey=True)}training samples</li>"
        f"<li>{_sign(0, hollow=True, grey=True)}validation samples</li>"
    )
    return (
        f'<div class="ll-plane">{picture(points)}'
        f'<ul aria-label="What the marks mean">{signs}{parts}</ul></div>'
    )


def picture(points: Points, axes: bool = True, words: str = "") -> str:
    """Return an <img> of the points, the first column to the right and the second up.

    words: its description, "" for number of samples and columns.
    """
    (left, right), (low, high) = points.ranges
    wide, tall = SIDE / (right - left), SIDE / (high - low)
    edge, floor = (LEFT, BELOW) if axes else (0.0, 0.0)
    marks = "".join(
        f'<path transform="translate({edge + (x - left) * wide:.1f} {(high - y) * tall:.1f})" '
        f'd="{path(kind)}" {_paint(kind, validates)}/>'
        for x, y, kind, validates in zip(
            points.xs, points.ys, points.kinds, points.validates, strict=True
        )
    )
    frame = _axes(points) if axes else ""
    svg = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {edge + SIDE:g} {SIDE + floor:g}">'
        f"{frame}{marks}</svg>"
    )
    names = " and ".join(points.columns)
    alt_text = words or f"{len(points.xs)} samples by {names}, with their classes"
    return as_image(svg, alt_text, 520)


def path(kind: int) -> str:
    """The outline of a class's mark around (0, 0)."""
    r = SIZE * 0.82
    numbers = {"r": f"{r:.2f}", "d": f"{2 * r:.2f}", "t": f"{SIZE:.2f}", "h": f"{SIZE / 3:.2f}"}
    return SHAPES[kind % len(SHAPES)].format(**numbers).replace("--", "")


def _paint(kind: int, hollow: bool) -> str:
    hue = HUES[kind % len(HUES)]
    if hollow:
        return f'fill="none" stroke="{hue}" stroke-width="1.6"'
    return f'fill="{hue}" fill-opacity="0.85"'


def _sign(kind: int, hollow: bool = False, grey: bool = False) -> str:
    paint = _paint(kind, hollow).replace(HUES[0], "#777890") if grey else _paint(kind, hollow)
    svg = (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="-7 -7 14 14">'
        f'<path d="{path(kind)}" {paint}/></svg>'
    )
    return as_image(svg, "", 16)


def _axes(points: Points) -> str:
    """A frame with the ends of both ranges and the names of the columns."""
    (left, right), (low, high) = points.ranges
    across, up = map(markup.escape, points.columns)
    below = SIDE + 15
    return (
        f'<rect x="{LEFT}" y="0.5" width="{SIDE - 0.5}" height="{SIDE - 0.5}" fill="none" '
        f'stroke="{FRAME}"/>'
        + _words(LEFT, below, "start", f"{left:.3g}")
        + _words(LEFT + SIDE / 2, below, "middle", across)
        + _words(LEFT + SIDE, below, "end", f"{right:.3g}")
        + _words(LEFT - 6, SIDE, "end", f"{low:.3g}")
        + _words(LEFT - 6, SIDE / 2, "end", up)
        + _words(LEFT - 6, 12, "end", f"{high:.3g}")
    )


def _words(x: float, y: float, anchor: str, text: str) -> str:
    return f'<text x="{x:g}" y="{y:g}" text-anchor="{anchor}" {TEXT}>{text}</text>'
