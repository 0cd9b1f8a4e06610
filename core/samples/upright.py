"""A picture as people see it, at the size of an Input.

Training, the drawing's own sample and servers read pictures by these functions; training scripts
hold the first and exported server folders both, word for word.
"""

from PIL import Image, ImageOps, ImageStat

from core.samples.picture_files import DEEP


def seen(picture: Image.Image, low: float, high: float) -> Image.Image:
    """A picture in three colours, turned as its EXIF says, its clear parts white.

    They are black where the drawing itself is white. low, high: what becomes black and
    white in pictures of more than 8 bits a channel.
    """
    turned = ImageOps.exif_transpose(picture)
    if turned.mode.startswith(("I", "F")):
        scale = 255 / (high - low)
        if turned.mode[0] == "I":
            turned = turned.convert("I").convert("F")
        scaled = turned.point(lambda value: value * scale - low * scale)
        return scaled.convert("L").convert("RGB")
    if "A" not in turned.getbands() and "transparency" not in turned.info:
        return turned if turned.mode == "RGB" else turned.convert("RGB")
    drawn = turned.convert("RGBA")
    opaque = drawn.getchannel("A").point([0] * 128 + [255] * 128)
    stat = ImageStat.Stat(drawn.convert("L"), opaque)
    white = stat.count[0] > 0 and stat.mean[0] > 200
    ground = Image.new("RGBA", drawn.size, "black" if white else "white")
    ground.alpha_composite(drawn)
    return ground.convert("RGB")


def fitted(
    picture: Image.Image,
    shape: tuple[int, int, int],
    bounds: tuple[float, float] = DEEP,
    as_stored: bool = False,
) -> Image.Image:
    """A picture in the channels and the size of (C, H, W), as ImageFolder and v2.Resize give it.

    bounds: what becomes black and white in one of more than 8 bits. as_stored: without its EXIF
    and its transparency, as torchvision reads its own sets.
    """
    channels, height, width = shape
    found = picture.convert("RGB") if as_stored else seen(picture, *bounds)
    if channels == 1:
        found = found.convert("L")
    if found.size != (width, height):
        found = found.resize((width, height), Image.Resampling.BILINEAR)
    return found
