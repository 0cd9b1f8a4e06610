"""The picture as SVG, with its typeface in it: it looks the same wherever it is opened."""

from core.common import fonts
from core.common.escaping import xml
from core.common.fonts.lettering import FACE
from core.wings.picture.scene import TALL, WIDTH, Box, Line, Scene, Shape, TextLine


def write(scene: Scene) -> str:
    """Write the picture. Every text of it is escaped; it holds no script and loads nothing."""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {TALL}" width="{WIDTH}" '
        f'height="{TALL}" role="img" aria-label="{xml(scene.words)}" '
        f'font-family="{fonts.SANS}, system-ui, sans-serif">'
        f"<title>{xml(scene.title)}</title><style>{fonts.embedded(FACE)}</style>"
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
                f"{xml(text)}</text>"
            )
