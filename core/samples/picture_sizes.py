"""How large picture files are, by what their heads say: nothing is decoded. Needs Pillow."""

import io
from collections.abc import Sequence
from dataclasses import dataclass

from core.samples.picture_files import FORMATS
from core.samples.request_error import RequestError


@dataclass
class Bound:
    """How many pixels all picture files of a request have at most, in this process."""

    pixels: int = 50_000_000


BOUND = Bound()


class TooManyPixels(RequestError):
    """The pictures of a request are too large together."""


def pixels_of(content: bytes) -> int:
    """The pixels that a file states; 0 for none that can be read, which its reader says."""
    from PIL import Image

    try:
        with Image.open(io.BytesIO(content), formats=FORMATS) as opened:
            return opened.width * opened.height
    except MemoryError:
        raise
    except Exception:  # Pillow's readers let out whatever their parsing of bytes runs into
        return 0


def check_together(name: str, contents: Sequence[bytes]) -> None:
    """Refuse the pictures of one input where they are too much together. Raises TooManyPixels."""
    pixels = sum(map(pixels_of, contents))
    if pixels > BOUND.pixels:
        raise TooManyPixels(
            413,
            f"{name} has {pixels:,} pixels in {len(contents)} pictures, and a request has at most "
            f"{BOUND.pixels:,}.",
            "Send fewer at once, or smaller ones.",
            name,
        )
