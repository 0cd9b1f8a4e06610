"""The picture as pixels, by Pillow: drawn larger, and made smaller with smooth edges."""

import io
from typing import assert_never

from PIL import Image, ImageDraw

from core.common.fonts.lettering import FINER, runs, width
from core.wings.picture.scene import TALL, WIDTH, Box, Line, Scene, TextLine

PIECES = 48  # of a curve
SHARE = {"start": 0.0, "middle": 0.5, "end": 1.0}


def write(scene: Scene) -> bytes:
    """Draw the picture: 1,200 by 630 pixels, no transparency."""
    image = Image.new("RGB", (WIDTH * FINER, TALL * FINER))
    draw = ImageDraw.Draw(image)
    for shape in scene.shapes:
        match shape:
            case Box():
                _box(draw, shape)
            case Line():
                _line(draw, shape)
            case TextLine():
                _words(draw, shape)
            case _:
                assert_never(shape)
    image = image.resize((WIDTH, TALL), Image.Resampling.BOX)
    buffer = io.BytesIO()
    image.save(buffer, "PNG", optimize=True)
    return buffer.getvalue()


def _box(draw: ImageDraw.ImageDraw, box: Box) -> None:
    corners = (box.x, box.y, box.x + box.width, box.y + box.height)
    left, top, right, bottom = (round(v * FINER) for v in corners)
    draw.rounded_rectangle(
        (left, top, max(right - 1, left), max(bottom - 1, top)), box.radius * FINER, fill=box.fill
    )


def _line(draw: ImageDraw.ImageDraw, line: Line) -> None:
    points = [_at(line.points, step / PIECES) for step in range(PIECES + 1)]
    wide = round(line.width * FINER)
    draw.line(points, fill=line.stroke, width=wide, joint="curve")
    for x, y in (points[0], points[-1]):
        draw.ellipse((x - wide / 2, y - wide / 2, x + wide / 2, y + wide / 2), fill=line.stroke)


def _at(points: tuple[tuple[float, float], ...], t: float) -> tuple[float, float]:
    """A point of a cubic curve, in the finer pixels."""
    weights = ((1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t**3)
    x, y = (sum(w * p[i] for w, p in zip(weights, points, strict=True)) for i in (0, 1))
    return x * FINER, y * FINER


def _words(draw: ImageDraw.ImageDraw, words: TextLine) -> None:
    x = words.x - SHARE[words.anchor] * width(words.text, words.letters)
    x, y = x * FINER, words.y * FINER
    for font, part in runs(words.text, words.letters, FINER):
        draw.text((x, y), part, fill=words.fill, font=font, anchor="ls")
        x += font.getlength(part)
