"""Sets of pictures as people have them, each with what is to be read of it.

A set is files by their path in its folder; the pixel is one that a viewer would show.
"""

import io
import struct
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from PIL import Image

Files = Mapping[str, bytes]
Colour = tuple[int, int, int]
SIZE = (7, 5)  # width and height in pixels
RED, BLUE = (200, 40, 9), (10, 60, 220)
BLACK, WHITE = (0, 0, 0), (255, 255, 255)
COLOURS = {"a": RED, "b": BLUE}


@dataclass(frozen=True)
class PictureSet:
    """A set and what it means. counts: pictures of each class; shape: of a picture as an Input
    gets it, (C, H, W); pixel: row 1, column 1 of the first picture of the last class; within: by
    how much a lossy format may miss it; words: what the page and the project state of it; channels:
    that are suggested, 1 where all pictures are grey."""

    files: Files
    classes: tuple[str, ...] = ("a", "b")
    counts: str = "[3, 3]"
    shape: tuple[int, int, int] = (3, 5, 7)
    pixel: Colour = BLUE
    within: int = 0
    words: str = ""
    channels: int = 3


def encoded(picture: Image.Image, form: str, **options: Any) -> bytes:
    """A picture as the bytes of a file."""
    file = io.BytesIO()
    picture.save(file, form, **options)
    return file.getvalue()


def flat(colour: Colour, size: tuple[int, int] = SIZE) -> Image.Image:
    return Image.new("RGB", size, colour)


def png(colour: Colour, size: tuple[int, int] = SIZE) -> bytes:
    return encoded(flat(colour, size), "PNG")


def each(make: Callable[[Colour, int], bytes], ending: str = "png", count: int = 3) -> Files:
    """A set of two classes; make: the bytes of a picture from its colour and number."""
    return {
        f"{kind}/{n}.{ending}": make(colour, n)
        for kind, colour in COLOURS.items() for n in range(count)
    }  # fmt: skip


def saved(form: str, ending: str = "", mode: str = "RGB", **options: Any) -> Files:
    """The set in a format and a mode of Pillow."""
    ending = ending or form.lower()
    return each(lambda c, _: encoded(flat(c).convert(mode), form, **options), ending)


def below(folder: str, files: Files) -> Files:
    return {f"{folder}/{name}": content for name, content in files.items()}


PLAIN = each(lambda c, _: png(c))


def interlaced(colour: Colour, _: int) -> bytes:
    """A PNG in Adam7's seven passes, which Pillow reads but does not write."""
    width, height = SIZE
    passes = ((0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2),
              (0, 1, 1, 2))  # fmt: skip
    lines = b""
    for x, y, across, down in passes:
        columns, rows = len(range(x, width, across)), len(range(y, height, down))
        lines += (b"\0" + bytes(colour) * columns) * rows if columns else b""
    return chunks(width, height, 1, zlib.compress(lines))


def chunks(width: int, height: int, interlace: int, data: bytes, bits: int = 8) -> bytes:
    """A PNG of RGB from its compressed lines."""
    head = struct.pack(">IIBBBBB", width, height, bits, 2, 0, 0, interlace)
    parts = ((b"IHDR", head), (b"IDAT", data), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))
        for name, body in parts
    )


def palette(colour: Colour, clear: bool = False) -> bytes:
    """A picture of one colour in a palette; clear: on a ground that is transparent."""
    picture = Image.new("P", SIZE, 1 if clear else 0)
    picture.putpalette([*colour, 9, 9, 9])
    if clear:
        picture.paste(0, (0, 0, 1, 5))
    return encoded(picture, "PNG", **({"transparency": 1} if clear else {}))


def deep(values: Callable[[int, int], float], dtype: Any, form: str, ending: str) -> Files:
    """Pictures of numbers; values: of a picture's class and number."""
    return {
        f"{kind}/{n}.{ending}": encoded(
            Image.fromarray(np.full(SIZE[::-1], values(k, n), dtype)), form
        )
        for k, kind in enumerate("ab") for n in range(3)
    }  # fmt: skip


def turned(orientation: int) -> Callable[[Colour, int], bytes]:
    """Photographs of a phone held upright: a dark picture, light at the left of what is stored."""

    def make(colour: Colour, _: int) -> bytes:
        picture, exif = flat(colour), Image.Exif()
        picture.paste(WHITE, (0, 0, 1, 5))
        exif[0x0112] = orientation
        return encoded(picture, "PNG", exif=exif)

    return make


def several(form: str, **options: Any) -> Callable[[Colour, int], bytes]:
    """A file of two pictures, of which the first counts."""

    def make(colour: Colour, _: int) -> bytes:
        more = [flat((1, 2, 3))]
        return encoded(flat(colour), form, save_all=True, append_images=more, **options)

    return make


def clear(mode: str, colour: Colour = BLACK) -> Callable[[Colour, int], bytes]:
    """A drawing on a clear ground."""

    def make(_: Colour, number: int) -> bytes:
        picture = Image.new("RGBA", SIZE, (*colour, 0))
        picture.paste((*colour, 255), (3, 0, 4 + number, 5))
        return encoded(picture.convert(mode), "PNG")

    return make


JUNK = {
    "__MACOSX/a/._0.png": b"x", "a/._0.png": b"x", ".DS_Store": b"x", "a/.DS_Store": b"x",
    "Thumbs.db": b"x", "b/Thumbs.db": b"x", "b/desktop.ini": b"x", "a/@eaDir/0.png": b"x",
    "a/.ipynb_checkpoints/0.png": b"x",
}  # fmt: skip
LONG = "m" * 90
MIXED = (
    png(RED), palette(RED), encoded(flat(RED).convert("L"), "PNG"),
    encoded(flat(RED).convert("RGBA"), "PNG"), encoded(flat(RED).convert("CMYK"), "TIFF"),
)  # fmt: skip
LEFT_OUT = "Skipped: 2 pictures in formats that cannot be read (.heic). Save them as JPEG or PNG."

READ: dict[str, PictureSet] = {
    "plain": PictureSet(PLAIN),
    "junk of other programs": PictureSet({**PLAIN, **JUNK}),
    "in a folder": PictureSet(below("archive/pets", PLAIN)),
    "train and val": PictureSet(
        {**below("train", PLAIN), **below("val", PLAIN)},
        words="Used: the pictures in train. Skipped: val.",
    ),
    "training, testing, validation": PictureSet(
        {**below("Training", PLAIN), **below("Testing", PLAIN), **below("Validation", PLAIN)}
    ),
    "folders in a class": PictureSet({**PLAIN, "b/more/1.png": png(WHITE)}, counts="[3, 4]"),
    "a note beside": PictureSet(
        {**PLAIN, "README.md": b"x", "labels.csv": b"x,y\n"},
        words="Skipped: 2 of 8 files, which are not pictures.",
    ),
    "different sizes": PictureSet({**PLAIN, "b/9.png": png(WHITE, (9, 12))}, counts="[3, 4]"),
    "different modes": PictureSet(
        {f"{k}/{i}.{'tif' if i == 4 else 'png'}": c for k in "ab" for i, c in enumerate(MIXED)},
        counts="[5, 5]", pixel=RED,
    ),
    "equal samples": PictureSet(
        each(lambda _c, _n: png(RED)), pixel=RED, words="All pictures look the same.",
    ),
    "one class of equal samples": PictureSet(
        {**each(lambda c, n: png((c[0], c[1], 30 * n))), **{f"b/{n}.png": png(BLUE)
                                                            for n in range(3)}},
        words="All pictures of b look the same.",
    ),
    "palette": PictureSet(each(lambda c, _: palette(c))),
    "palette with a clear ground": PictureSet(each(lambda c, _: palette(c, True)), pixel=WHITE),
    "black on a clear ground": PictureSet(each(clear("RGBA")), pixel=WHITE, channels=1),
    "white on a clear ground": PictureSet(each(clear("RGBA", WHITE)), pixel=BLACK, channels=1),
    "grey on a clear ground": PictureSet(each(clear("LA")), pixel=WHITE, channels=1),
    "1 bit": PictureSet(
        each(lambda c, _: encoded(flat(BLACK if c == RED else WHITE).convert("1"), "PNG")),
        pixel=WHITE, channels=1),
    "16 bits of a microscope": PictureSet(
        deep(lambda k, n: 1365 * k + 1000 * n, np.uint16, "PNG", "png"), pixel=(85, 85, 85),
        words="Their values from 0 to 4095 become black to white.", channels=1),
    "16 bits in PGM": PictureSet(
        deep(lambda k, n: 13107 * k + 13107 * n, np.uint16, "PPM", "pgm"), pixel=(51, 51, 51),
        channels=1),
    "32 bits": PictureSet(
        deep(lambda k, n: 100 * k + 1000 * n, np.int32, "TIFF", "tif"), pixel=(6, 6, 6),
        words="Their values from 0 to 4095 become black to white.", channels=1),
    "decimals": PictureSet(
        deep(lambda k, n: 0.5 * k + 0.25 * n, np.float32, "TIFF", "tiff"), pixel=(127, 127, 127),
        words="Their values from 0 to 1 become black to white.", channels=1),
    "CMYK": PictureSet(saved("TIFF", "tif", "CMYK")),
    "CMYK JPEG": PictureSet(saved("JPEG", "jpg", "CMYK", quality=95), within=3),
    "JPEG": PictureSet(saved("JPEG", "JPG", quality=95), within=3),
    "progressive JPEG": PictureSet(saved("JPEG", "jpeg", quality=95, progressive=True), within=3),
    "JPEG called PNG": PictureSet(saved("JPEG", "png", quality=95), within=3),
    "GIF called PNG": PictureSet(saved("GIF", "png")),
    "WebP": PictureSet(saved("WEBP", lossless=True)),
    "WebP of several pictures": PictureSet(each(several("WEBP", lossless=True), "webp")),
    "PNG of several pictures": PictureSet(each(several("PNG"))),
    "TIFF of several pages": PictureSet(each(several("TIFF"), "tiff")),
    "compressed TIFF": PictureSet(saved("TIFF", "tif", compression="tiff_lzw")),
    "BMP": PictureSet(saved("BMP")),
    "PPM": PictureSet(saved("PPM")),
    "interlaced PNG": PictureSet(each(interlaced)),
    "photographs of a phone": PictureSet(each(turned(6)), shape=(3, 7, 5)),
    "photographs upside down": PictureSet(each(turned(3))),
    "an empty class folder": PictureSet({**PLAIN, "c/": b""}),
    "names with spaces": PictureSet(
        {f"{'New York' if n[0] == 'a' else 'San José (old)'}/p {n[2:]}": c
         for n, c in PLAIN.items()},
        ("New York", "San José (old)"),
    ),
    "names in Unicode": PictureSet(
        {f"{'猫' if n[0] == 'a' else 'щенок'}/★{n[2:]}": c for n, c in PLAIN.items()},
        ("щенок", "猫"), pixel=RED,
    ),
    "accents of a Mac": PictureSet(
        {n.replace("a/", "e\u0301te\u0301/").replace("b/", "hiver/"): c for n, c in PLAIN.items()},
        ("e\u0301te\u0301", "hiver"),
    ),
    "long names": PictureSet(
        {f"{n[0]}-{LONG}/{n[2]}-{LONG}.png": c for n, c in PLAIN.items()},
        (f"a-{LONG}", f"b-{LONG}"),
    ),
    "some in HEIC": PictureSet({**PLAIN, "a/8.heic": b"x", "b/9.HEIC": b"x"}, words=LEFT_OUT),
    "one pixel": PictureSet(each(lambda c, _: png(c, (1, 1))), shape=(3, 1, 1)),
}  # fmt: skip

SUB_FOLDERS = "Make a sub-folder for each class, such as cats and dogs, move the pictures there, "
WAY_OUT = SUB_FOLDERS + "and choose the folder above them."
NO_CLASSES = "6 pictures, all in one folder, pets: there are no classes to distinguish. "
KINDS = "JPEG, PNG, PPM, BMP, GIF, TIFF or WEBP"
REPAIR = "Repair or delete them, or set skip_corrupt to skip them."
FLAT = {name.replace("/", ""): content for name, content in PLAIN.items()}


def all_heic(ending: str) -> Files:
    return {f"{kind}/{n}.{ending}": b"x" for kind in "ab" for n in range(3)}


def unreadable(why: str) -> str:
    return f"1 of 7 pictures cannot be read: b/9.png. {why} {REPAIR}"


REFUSED: dict[str, tuple[Files, str]] = {
    "one class": (
        {n: c for n, c in PLAIN.items() if n[0] == "a"},
        f"3 pictures, all in one folder, a: there are no classes to distinguish. {WAY_OUT}",
    ),
    "no class": ({f"{n}.png": png(RED) for n in range(6)}, NO_CLASSES + WAY_OUT),
    "a list of the classes beside": (
        {**{f"{n}.png": png(RED) for n in range(6)}, "labels.csv": b"file,class\n0.png,a\n"},
        f"{NO_CLASSES}If labels.csv lists the classes: {WAY_OUT.replace('Make', 'make')}",
    ),
    "classes in the names": (
        {n.replace("a", "cat.").replace("b", "dog."): c for n, c in FLAT.items()},
        f"{NO_CLASSES}Their names begin with cat and dog. "
        + WAY_OUT.replace("each class, such as cats and dogs", "each of these classes"),
    ),
    "masks beside": (
        {f"{kind}/{n}.png": png(RED) for kind in ("images", "masks") for n in range(3)},
        "images and masks hold pictures with the same names: masks, not classes. Choose it as "
        "pictures with masks, source MaskFolder.",
    ),
    "masks in a palette beside": (
        {**{f"train/JPEGImages/{n}.jpg": encoded(flat(RED), "JPEG") for n in range(3)},
         **{f"train/SegmentationClass/{n}.png": palette(RED) for n in range(3)}},
        "JPEGImages and SegmentationClass hold pictures with the same names: masks, not classes. "
        "Choose it as pictures with masks, source MaskFolder.",
    ),
    "masks among the pictures": (
        {**PLAIN, **{n.replace(".png", "_mask.png"): c for n, c in PLAIN.items()}},
        "6 of 12 pictures are masks of others, such as a/0_mask.png of a/0.png. Move the masks "
        "out of the class folders, or choose the folder as pictures with masks, source "
        "MaskFolder.",
    ),
    "HEIC": (
        all_heic("heic"),
        "pets contains 6 pictures, but in formats that cannot be read (.heic). Save them as JPEG "
        "or PNG.",
    ),
    "SVG": (
        all_heic("svg"),
        "pets contains 6 pictures, but in formats that cannot be read (.svg). Save them as JPEG "
        "or PNG.",
    ),
    "animated GIF": (
        each(several("GIF"), "gif"),
        "pets contains 6 pictures, but in formats that cannot be read (.gif). Save them as JPEG "
        "or PNG.",
    ),
    "an empty file": (
        {**PLAIN, "b/9.png": b""},
        unreadable("9.png is empty."),
    ),
    "text called PNG": (
        {**PLAIN, "b/9.png": b"<html>not found</html>"},
        unreadable(f"9.png is not a picture ({KINDS})."),
    ),
    "a picture cut off": (
        {**PLAIN, "b/9.png": encoded(flat(RED, (64, 64)), "JPEG")[:-40]},
        unreadable("9.png is damaged: image file is truncated (1 bytes not processed)."),
    ),
    "too many pixels": (
        {**PLAIN, "b/9.png": chunks(30_000, 30_000, 0, b"x")},
        unreadable("9.png has more than 100,000,000 pixels."),
    ),
    "none that can be read": (
        {"a/1.png": b"x", "b/1.png": b"y"},
        f"pets holds no picture that can be read. 1.png is not a picture ({KINDS}). Save it as "
        "PNG.",
    ),
}  # fmt: skip
