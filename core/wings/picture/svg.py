"""The picture as SVG, with its typeface in it: it looks the same wherever it is opened."""

import base64
import html
import re

from core import fonts
from core.escaping import one_line
from core.wings.picture.lettering import FILE
from core.wings.picture.scene import TALL, WIDTH, Box, Line, Scene, Shape, TextLine

NO_XML = re.compile("[\ufffe\uffff]")
"""Characters that no XML document may hold, besides those that `one_line` shows escaped."""


def write(scene: Scene) -> str:
    """Write the picture. Every text of it is escaped; it holds no script and loads nothing."""
    data = base64.b64encode(fonts.content(FILE)).decode()
    face = (
        f'@font-face{{font-family:"{fonts.SANS}";font-weight:400 700;'
        f'src:url("data:font/woff2;base64,{data}") format("woff2")}}'
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {TALL}" width="{WIDTH}" '
        f'height="{TALL}" role="img" aria-label="{_escaped(scene.words)}" '
        f'font-family="{fonts.SANS}, system-ui, sans-serif">'
        f"<title>{_escaped(scene.title)}</title><style>{face}</style>"
        f"{''.join(map(_element, scene.shapes))}</svg>\n"
    )


def _element(shape: Shape) -> str:
    match shape:
        case Box(x, y, width, height, radius, fill):
            return (
                f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" '
                f'rx="{radius:.1f}" fill="{fill}"/>'
            )
        case Line(points, stroke, width):
            (x1, y1), *others = points
            control = " ".join(f"{x:.1f} {y:.1f}" for x, y in others)
            return (
                f'<path d="M{x1:.1f} {y1:.1f}C{control}" fill="none" stroke="{stroke}" '
                f'stroke-width="{width:.1f}" stroke-linecap="round"/>'
            )
        case TextLine(x, y, text, letters, fill, anchor):
            return (
                f'<text x="{x:.1f}" y="{y:.1f}" font-size="{letters.size:g}" '
                f'font-weight="{letters.weight}" fill="{fill}" text-anchor="{anchor}">'
                f"{_escaped(text)}</text>"
            )


def _escaped(text: str) -> str:
    return NO_XML.sub("\ufffd", html.escape(one_line(text), quote=True))
