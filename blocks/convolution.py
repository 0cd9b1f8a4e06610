"""Convolutions and their transposes: one learned filter for every position."""

from blocks.checks.divide import groups_divide
from blocks.checks.transposed import transposed_fits
from blocks.checks.windows import convolution_fits
from blocks.shared import NEW_SPACE, NN, SPACE, THING, channels, flag, pixels, spatial
from blocks.spec import Block, Setting, add

PAD_MODES = ("zeros", "reflect", "replicate", "circular")
GUIDE = "Dumoulin, Visin. A guide to convolution arithmetic for deep learning. 2016"
PAPERS = {
    1: "Waibel, Hanazawa, Hinton, Shikano, Lang. "
    "Phoneme recognition using time-delay neural networks. 1989",
    2: "LeCun, Bottou, Bengio, Haffner. "
    "Gradient-based learning applied to document recognition. 1998",
    3: "Tran, Bourdev, Fergus, Torresani, Paluri. "
    "Learning spatiotemporal features with 3D convolutional networks. 2015",
}


def shared_settings(dims: int) -> dict[str, Setting]:
    """Declare the settings that convolutions and transposed ones have in common."""
    size = pixels(dims)
    side = "Length" if dims == 1 else "Side"
    return {
        "in_channels": channels("in_channels", "Channels of the input, 3 for a colour image."),
        "out_channels": Setting(
            "out_channels",
            "int",
            "Number of filters, which is the number of output channels.",
            start=16,
            low=1,
            positional=True,
        ),
        "kernel_size": size("kernel_size", f"{side} of a filter.", start=3, low=1),
        "stride": size("stride", "Step between filter positions.", default=1, low=1, main=True),
        "dilation": size("dilation", "Distance between filter taps.", default=1, low=1),
        "groups": Setting(
            "groups",
            "int",
            "Groups of channels that do not see each other; "
            "as many as channels makes a depthwise convolution.",
            default=1,
            low=1,
        ),
        "bias": flag("bias", "Add a learned constant to each output channel.", True),
    }


def convolution(dims: int, before: str) -> Block:
    """Declare Conv1d, Conv2d or Conv3d."""
    shared = shared_settings(dims)
    padding = pixels(dims)(
        "padding",
        "Values added on every side; 'same' keeps the size, 'valid' adds none.",
        default=0,
        low=0,
        choices=("same", "valid"),
        main=True,
    )
    mode = Setting(
        "padding_mode",
        "choice",
        "Values of the padding: zeros, the mirrored border, the nearest value, "
        "or the opposite side.",
        default="zeros",
        choices=PAD_MODES,
    )
    first = tuple(shared[n] for n in ("in_channels", "out_channels", "kernel_size", "stride"))
    rest = tuple(shared[n] for n in ("dilation", "groups", "bias"))
    return Block(
        f"Conv{dims}d",
        family="convolution",
        summary=f"Slides learned filters over {before} and reports where each one fits.",
        inputs=(spatial(dims),),
        settings=(*first, padding, *rest, mode),
        init=f"nn.Conv{dims}d",
        shape_in=f"(N, in_channels, {SPACE[dims]})",
        shape_out=f"(N, out_channels, {NEW_SPACE[dims]})",
        formula=r"y_o = b_o + \sum_c w_{o,c} \star x_c,\quad "
        r"L' = \left\lfloor\tfrac{L + 2\,\mathrm{padding} - \mathrm{dilation}"
        r"(\mathrm{kernel} - 1) - 1}{\mathrm{stride}}\right\rfloor + 1",
        reference=f"{NN}Conv{dims}d.html",
        paper=PAPERS[dims],
        checks=(groups_divide, convolution_fits),
        keywords=("filter", "kernel", "convolution", THING[dims], "cnn", "feature map"),
        traits=frozenset({"learns", "weighted", "convolves"}),
        network="CNN",
    )


def transposed(dims: int, before: str) -> Block:
    """Declare ConvTranspose1d, ConvTranspose2d or ConvTranspose3d."""
    shared = shared_settings(dims)
    size = pixels(dims)
    shared["kernel_size"] = size("kernel_size", "Side of a filter.", start=2, low=1)
    shared["stride"] = size(
        "stride", "How many times larger the output becomes.", default=1, start=2, low=1
    )
    padding = size(
        "padding", "Values removed from every side of the output.", default=0, low=0, main=True
    )
    extra = size(
        "output_padding",
        "Values added to one side of the output, to choose between the sizes "
        "a strided convolution could have come from.",
        default=0,
        low=0,
    )
    first = tuple(shared[n] for n in ("in_channels", "out_channels", "kernel_size", "stride"))
    rest = tuple(shared[n] for n in ("groups", "bias", "dilation"))
    mode = Setting(
        "padding_mode",
        "choice",
        "Values of the padding; torch supports only zeros here.",
        default="zeros",
        choices=("zeros",),
    )
    return Block(
        f"ConvTranspose{dims}d",
        family="convolution",
        summary=f"Enlarges {before} with learned filters: the reverse of a strided convolution.",
        inputs=(spatial(dims),),
        settings=(*first, padding, extra, *rest, mode),
        init=f"nn.ConvTranspose{dims}d",
        shape_in=f"(N, in_channels, {SPACE[dims]})",
        shape_out=f"(N, out_channels, {NEW_SPACE[dims]})",
        formula=r"L' = (L - 1)\,\mathrm{stride} - 2\,\mathrm{padding} + \mathrm{dilation}"
        r"(\mathrm{kernel} - 1) + \mathrm{output\_padding} + 1",
        reference=f"{NN}ConvTranspose{dims}d.html",
        paper=GUIDE,
        checks=(groups_divide, transposed_fits),
        keywords=("deconvolution", "upsample", "decoder", "u-net", "enlarge", THING[dims]),
        traits=frozenset({"learns", "weighted", "transposed"}),
        network="CNN",
    )


add(
    convolution(1, "a sequence"),
    convolution(2, "an image"),
    convolution(3, "a volume or video"),
    transposed(1, "a sequence"),
    transposed(2, "an image"),
    transposed(3, "a volume or video"),
)
