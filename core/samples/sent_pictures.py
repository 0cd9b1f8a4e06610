"""Picture files of a request, read as the data set's own are. Needs numpy and Pillow."""

import io
import threading
from collections.abc import Mapping
from contextlib import nullcontext
from typing import Any

import numpy as np

from core.samples.picture_files import DEEP, FORMATS
from core.samples.request_error import RequestError

MOST_PIXELS, LARGEST_SIDE = 50_000_000, 65_535
LARGE_PIXELS = 4_000_000  # from which on pictures are decoded one at a time
Json = Mapping[str, Any]
_large = threading.Lock()


def decode_picture(spec: Json, shape: tuple[int, ...], content: bytes) -> np.ndarray:
    """A picture file as training reads it: turned, its clear parts filled, at the Input's size."""
    from PIL import Image

    name, (channels, height, width) = spec["name"], shape
    if channels not in (1, 3):
        raise RequestError(
            422,
            f"{name} has {channels} channels, which no picture file has.",
            "Send its numbers.",
            name,
        )
    try:
        with Image.open(io.BytesIO(content), formats=FORMATS) as opened:
            _check_pixels(name, *opened.size)
            pixels = _pixels(spec, (channels, height, width), opened)
    except (RequestError, MemoryError):
        raise
    except Exception:  # Pillow's readers let out whatever their parsing of bytes runs into
        raise RequestError(
            422,
            f"{name} is not a readable picture.",
            f"Send {', '.join(FORMATS[:-1])} or {FORMATS[-1]}.",
            name,
        ) from None
    return pixels.reshape(height, width, channels).transpose(2, 0, 1) / np.float32(255)


def _check_pixels(name: str, width: int, height: int) -> None:
    """Refuse a picture by the size that its head states, before any of it is decoded."""
    if width * height > MOST_PIXELS:
        raise RequestError(
            422,
            f"{name} has {width} x {height} pixels.",
            f"Make it smaller than {MOST_PIXELS:,} pixels.",
            name,
        )
    if max(width, height) > LARGEST_SIDE:
        raise RequestError(
            422,
            f"{name} has {width} x {height} pixels, and a side has at most {LARGEST_SIDE:,}.",
            "Make it smaller.",
            name,
        )


def _pixels(spec: Json, shape: tuple[int, int, int], opened: Any) -> np.ndarray:
    from core.samples.upright import fitted

    stored = bool(spec.get("as_stored"))
    if stored and opened.mode.startswith(("I", "F")):
        raise RequestError(
            422,
            f"{spec['name']} has more than 8 bits a channel (mode {opened.mode}), but the "
            "training data has none such.",
            "Save it with 8 bits, scaled down to 0 to 255.",
            spec["name"],
        )
    low, high = spec.get("bounds") or DEEP
    with _large if opened.width * opened.height > LARGE_PIXELS else nullcontext():
        found = fitted(opened, shape, (low, high), stored)
    return np.asarray(found, np.float32)
