"""Text on pictures: how wide it is, what fits, and in which font each letter is written.

Pictures are written in the workbench's own typeface. Letters that it has not, as of Japanese,
come from a font of this machine where one has them.
"""

import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import groupby
from typing import Any

from PIL import ImageFont

from core.common import fonts

FACE = next(face for face in fonts.FACES if face.family == fonts.SANS)
OTHERS = (
    "NotoSans-Regular.ttf",
    "DejaVuSans.ttf",
    "NotoSansCJK-Regular.ttc",
    "NotoSansArabic-Regular.ttf",
    "NotoSansDevanagari-Regular.ttf",
    "arial.ttf",
    "Arial Unicode.ttf",
    "msyh.ttc",
    "YuGothR.ttc",
    "malgun.ttf",
    "Nirmala.ttf",
    "PingFang.ttc",
    "Hiragino Sans GB.ttc",
)
"""Fonts with letters of more scripts, as Linux, Windows and macOS have them."""
NOWHERE = "\U0010fffd"
"""A character of no font: every font draws its sign for what it lacks."""
Font = ImageFont.FreeTypeFont
FINER = 3
"""So many times as large pictures are drawn before they are made smaller."""


@dataclass(frozen=True)
class Letters:
    """A size in pixels, and a weight from 400 to 700."""

    size: float
    weight: int = 400


@lru_cache(maxsize=64)
def font(letters: Letters, name: str = "") -> Font:
    """The typeface, or a font of this machine by its name. Raises OSError where it is not here."""
    if name:
        return ImageFont.truetype(name, letters.size)
    made = ImageFont.truetype(io.BytesIO(fonts.content(FACE.file)), letters.size)
    made.set_variation_by_axes([letters.weight])
    return made


def runs(text: str, letters: Letters, finer: int = 1) -> Iterator[tuple[Font, str]]:
    """The parts of a text, each with the font that has its letters, so many times as large."""
    larger = Letters(letters.size * finer, letters.weight)
    for name, part in groupby(text, _font_with):
        yield font(larger, name), "".join(part)


def width(text: str, letters: Letters) -> float:
    """How wide a line is, in pixels, without the rounding of small letters to whole ones."""
    return sum(font.getlength(part) for font, part in runs(text, letters, FINER)) / FINER


def fitted(text: str, room: float, sizes: Sequence[float], weight: int) -> tuple[str, Letters]:
    """A text in the largest of the sizes that fits; in the last, shortened by an ellipsis."""
    for size in sizes:
        if width(text, Letters(size, weight)) <= room:
            return text, Letters(size, weight)
    letters = Letters(sizes[-1], weight)
    while text and width(f"{text.rstrip()}…", letters) > room:
        text = text[:-1]
    return f"{text.rstrip()}…", letters


@cache
def _font_with(letter: str) -> str:
    """The name of the font that has a letter; "" for the typeface, also where none has it."""
    return next((name for name in ("", *OTHERS) if _has(name, letter)), "")


def _drawn(font: Any, letter: str) -> bytes:
    """The pixels of a letter."""
    return bytes(font.getmask(letter))


@cache
def _has(name: str, letter: str) -> bool:
    try:
        found = font(Letters(16), name)
    except OSError:
        return False
    return letter.isspace() or _drawn(found, letter) != _drawn(found, NOWHERE)
