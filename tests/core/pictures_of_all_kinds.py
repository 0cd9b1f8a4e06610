"""Pictures of spots in every form: turned by EXIF, clear, grey, in palettes, in every format."""

import zlib

import numpy as np
import torch
from PIL import Image, ImageCms

from core.export.subject import Subject
from tests.core.data.picture_sets_as_saved import chunks, encoded, interlaced

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


def rgb_of_16_bits() -> bytes:
    """A PNG of colours that a scanner or a camera saves; Pillow reads the upper byte of each."""
    wide, high = 60, 41
    numbers = np.random.default_rng(1).integers(0, 65536, (high, 3 * wide)).astype(">u2")
    lines = b"".join(b"\0" + row.tobytes() for row in numbers)
    return chunks(wide, high, 0, zlib.compress(lines), bits=16)


def profile() -> bytes:
    """A colour profile, as cameras and Photoshop put into files."""
    return ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()


KINDS = {
    **{f"a/turned{k}.jpg": turned("RGB", "JPEG", k, quality=90) for k in range(1, 9)},
    "a/clear.png": turned("RGBA", "PNG", 6),
    "a/grey.png": turned("LA", "PNG", 3),
    "a/deep.png": encoded(noise("L").convert("I;16").point(lambda value: value * 200), "PNG"),
    "a/bits.png": encoded(noise("L").convert("1"), "PNG"),
    "a/colours16.png": rgb_of_16_bits(),
    "a/interlaced.png": interlaced((200, 90, 30), 0),
    "a/profile.png": encoded(noise("RGB"), "PNG", icc_profile=profile()),
    "b/pages.tif": encoded(noise("RGB"), "TIFF", compression="tiff_lzw"),
    "b/profile.jpg": encoded(noise("RGB"), "JPEG", quality=90, icc_profile=profile()),
    "b/progressive.jpg": encoded(noise("RGB"), "JPEG", quality=90, progressive=True),
    "b/palette.png": in_colours(12, transparency=3),
    "b/cmyk.jpg": turned("CMYK", "JPEG", 8),
    "b/photo.webp": turned("RGBA", "WEBP", 6, lossless=True),
    **{f"b/size{side}.png": encoded(noise("RGB", (side, 3 * side // 2)), "PNG")
       for side in (1, 5, 24, 90, 333)},
}  # fmt: skip
"""Of two classes, as a folder has them."""


def shares_of(subject: Subject) -> dict[str, dict[str, float]]:
    """By file of KINDS, what the network gives for it as its data set reads it."""
    assert subject.opened is not None
    dataset = subject.opened.dataset
    with torch.no_grad():
        shares = subject.module(dataset.inputs[torch.arange(len(KINDS))]).softmax(-1)
    return {
        name: dict(zip(dataset.classes, row.tolist(), strict=True))
        for name, row in zip(sorted(KINDS), shares, strict=True)
    }
