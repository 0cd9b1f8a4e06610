"""Shape operations that add a border, change the size of an image, or trade channels for pixels."""

from dataclasses import replace

from blocks.checks.divide import shuffled_channels_divide, unshuffled_sides_divide
from blocks.checks.resize import padding_possible, resizable, zero_padding
from blocks.shape import ANY
from blocks.shared import FN, FROM_2, NN, flag, floats, spatial
from blocks.spec import Block, Setting, add

MODES = ("nearest", "linear", "bilinear", "bicubic", "area", "nearest-exact")


def resize_settings(modes: tuple[str, ...]) -> tuple[Setting, ...]:
    """Declare what interpolate and Upsample share."""
    return (
        Setting(
            "size",
            "size",
            "Size of the output, one number or a list per dimension. "
            "Give either this or scale_factor.",
            default=None,
            low=1,
            unit="pixels",
            optional=True,
        ),
        Setting(
            "scale_factor",
            "float",
            "How many times larger the output is; below 1 for smaller.",
            default=None,
            start=2,
            low=0.001,
            high=1024,
            optional=True,
        ),
        Setting(
            "mode",
            "choice",
            "How values between pixels are found: nearest copies, "
            "linear (sequences), bilinear and bicubic (images) blend.",
            default="nearest",
            choices=modes,
        ),
        Setting(
            "align_corners",
            "bool",
            "Let the corner pixels of input and output lie on each other (for modes that blend).",
            default=None,
            optional=True,
        ),
        Setting(
            "recompute_scale_factor",
            "bool",
            "Round the output size first and compute the scale from it.",
            default=None,
            optional=True,
        ),
    )


IMAGE = floats(rank=(3, 4), form="(N, C, L) or (N, C, H, W)")
RESIZED = r"H' = \lfloor H \cdot \mathrm{scale\_factor} \rfloor"

add(
    Block(
        "interpolate",
        family="shape",
        summary="Makes an image or sequence larger or smaller by computing values in between.",
        inputs=(IMAGE,),
        settings=(
            *resize_settings(MODES),
            flag("antialias", "Smooth before making it smaller (bilinear and bicubic).", False),
        ),
        forward="F.interpolate({input}{settings})",
        shape_in="(N, C, *)",
        shape_out="(N, C, *size)",
        formula=RESIZED,
        reference=FN + "interpolate.html",
        checks=(resizable,),
        keywords=("resize", "upsample", "scale", "zoom", "u-net"),
    ),
    Block(
        "Upsample",
        family="shape",
        summary="Makes an image or sequence larger by copying or blending pixels.",
        inputs=(IMAGE,),
        settings=resize_settings(MODES),
        init="nn.Upsample",
        shape_in="(N, C, *)",
        shape_out="(N, C, *size)",
        formula=RESIZED,
        reference=NN + "Upsample.html",
        checks=(resizable,),
        keywords=("resize", "interpolate", "scale", "decoder", "u-net"),
    ),
    Block(
        "PixelShuffle",
        family="shape",
        summary="Turns channels into pixels, to enlarge an image.",
        inputs=(spatial(2),),
        settings=(
            Setting(
                "upscale_factor",
                "int",
                "How many times larger each side becomes.",
                start=2,
                low=1,
                high=64,
                positional=True,
            ),
        ),
        init="nn.PixelShuffle",
        shape_in="(N, C*r*r, H, W)",
        shape_out="(N, C, H*r, W*r)",
        formula=r"(N, C r^2, H, W) \to (N, C, H r, W r)",
        reference=NN + "PixelShuffle.html",
        paper="Shi et al. Real-time single image and video super-resolution using an efficient "
        "sub-pixel convolutional neural network. 2016",
        checks=(shuffled_channels_divide,),
        keywords=("super-resolution", "upsample", "depth to space"),
    ),
    Block(
        "PixelUnshuffle",
        family="shape",
        summary="Turns pixels into channels, to make an image smaller without losing any.",
        inputs=(spatial(2),),
        settings=(
            Setting(
                "downscale_factor",
                "int",
                "How many times smaller each side becomes.",
                start=2,
                low=1,
                high=64,
                positional=True,
            ),
        ),
        init="nn.PixelUnshuffle",
        shape_in="(N, C, H*r, W*r)",
        shape_out="(N, C*r*r, H, W)",
        formula=r"(N, C, H r, W r) \to (N, C r^2, H, W)",
        reference=NN + "PixelUnshuffle.html",
        checks=(unshuffled_sides_divide,),
        keywords=("downsample", "space to depth", "patches"),
    ),
    Block(
        "pad",
        family="shape",
        summary="Adds a border to the last dimensions.",
        inputs=(replace(ANY, rank=FROM_2, form="(N, *)"),),
        settings=(
            Setting(
                "pad",
                "dims",
                "Pairs (before, after), the last dimension first: left, right, top, bottom. "
                "Negative numbers cut off.",
                start=(1, 1, 1, 1),
                unit="pixels",
                positional=True,
            ),
            Setting(
                "mode",
                "choice",
                "What the border holds: one value, the mirrored border, the nearest value, "
                "or the opposite side.",
                default="constant",
                choices=("constant", "reflect", "replicate", "circular"),
            ),
            Setting(
                "value",
                "float",
                "Value of a constant border; nothing for 0.",
                default=None,
                optional=True,
            ),
        ),
        forward="F.pad({input}, {pad}{settings})",
        shape_in="(N, *)",
        shape_out="(N, *) with larger last sizes",
        formula=r"W' = W + \mathrm{left} + \mathrm{right}",
        reference=FN + "pad.html",
        checks=(padding_possible,),
        keywords=("border", "margin", "crop"),
    ),
    Block(
        "ZeroPad2d",
        family="shape",
        summary="Adds a border of zeros to an image.",
        inputs=(spatial(2),),
        settings=(
            Setting(
                "padding",
                "size",
                "Width of the border, or a list: left, right, top, bottom.",
                start=1,
                length=4,
                unit="pixels",
                positional=True,
            ),
        ),
        init="nn.ZeroPad2d",
        shape_in="(N, C, H, W)",
        shape_out="(N, C, H + top + bottom, W + left + right)",
        formula=r"W' = W + \mathrm{left} + \mathrm{right}",
        reference=NN + "ZeroPad2d.html",
        checks=(zero_padding,),
        keywords=("border", "margin", "padding"),
    ),
)
