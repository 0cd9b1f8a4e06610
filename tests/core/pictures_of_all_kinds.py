"""Pictures of spots in every form: turned by EXIF, clear, grey, in palettes, in every format."""

import numpy as np
from PIL import Image

from tests.core.data.picture_sets_as_saved import encoded

ORIENTATION = 0x0112


def noise(mode: str, size: tuple[int, int] = (77, 131)) -> Image.Image:
    """Spots in all colours, and as clear as they come."""
    channels = len(Image.new(mode, (1, 1)).getbands())
    shape = (size[1] // 4 + 1, size[0] // 4 + 1, channels)
    spots = np.random.default_rng(0).integers(0, 256, shape).astype(np.uint8)
    pixels = spots.repeat(4, 0).repeat(4, 1)[: size[1], : size[0]]
    return Image.frombytes(mode, size, np.ascontiguousarray(pixels).tobytes())


def turned(mode: str, form: str, orientation: int = 1, **options: object) -> bytes:
    """A file that states how it is to be turned."""
    exif = Image.Exif()
    exif[ORIENTATION] = orientation
    return encoded(noise(mode), form, exif=exif, **options)


def in_colours(count: int, form: str = "PNG", **options: object) -> bytes:
    """A file of so many colours."""
    return encoded(noise("RGB").quantize(count), form, **options)
