"""Shape operations that change the size of an image, or trade channels for pixels."""

from blocks.checks.divide import shuffled_channels_divide, unshuffled_sides_divide
from blocks.checks.resize import resizable, upsampled
from blocks.shared import FN, NN, flag, floats, spatial, wholes
from blocks.spec import Block, Setting, add

MODES = ("nearest", "linear", "bilinear", "bicubic", "trilinear", "area", "nearest-exact")


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
            "How many times larger the output is, one number or a list per dimension; "
            "below 1 for smaller.",
            default=None,
            start=2,
            low=0.001,
            high=1024,
            several=True,
            optional=True,
        ),
        Setting(
            "mode",
            "choice",
            "How values between pixels are interpolated: nearest copies, "
            "linear (sequences), bilinear and bicubic (images) blend.",
            default="nearest",
            choices=modes,
            main=True,
        ),
        Setting(
            "align_corners",
            "bool",
            "Align the corner pixels of input and output (for modes that blend).",
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


IMAGE = floats(rank=(3, 4, 5), form="(N, C, L), (N, C, H, W) or (N, C, D, H, W)")
RESIZED = r"H' = \lfloor H \cdot \mathrm{scale\_factor} \rfloor"

add(
    Block(
        "interpolate",
        family="shape",
        summary="Makes an image or sequence larger or smaller by computing values in between.",
        inputs=(IMAGE, wholes("size")),
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
    *(
        Block(
            f"Upsampling{kind}2d",
            family="shape",
            summary=f"Makes an image larger by {way} pixels; Upsample does the same and more.",
            inputs=(floats(rank=(4,), form="(N, C, H, W)"),),
            settings=resize_settings(MODES)[:2],
            init=f"nn.Upsampling{kind}2d",
            shape_in="(N, C, H, W)",
            shape_out="(N, C, *size)",
            formula=RESIZED,
            reference=f"{NN}Upsampling{kind}2d.html",
            checks=(upsampled,),
            keywords=("resize", "interpolate", "scale"),
        )
        for kind, way in (("Nearest", "copying"), ("Bilinear", "blending"))
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
)
