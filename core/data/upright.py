"""A picture as people see it. Training scripts hold the function word for word."""

from PIL import Image, ImageOps, ImageStat


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
        return turned.convert("RGB")
    drawn = turned.convert("RGBA")
    opaque = drawn.getchannel("A").point([0] * 128 + [255] * 128)
    stat = ImageStat.Stat(drawn.convert("L"), opaque)
    white = stat.count[0] > 0 and stat.mean[0] > 200
    ground = Image.new("RGBA", drawn.size, "black" if white else "white")
    ground.alpha_composite(drawn)
    return ground.convert("RGB")
