"""Layers that summarise neighbouring values, and their way back."""

from dataclasses import replace

from blocks.checks.windows import pooling_fits
from blocks.shared import NEW_SPACE, NN, SPACE, THING, flag, pixels, spatial
from blocks.spec import Block, Port, Setting, Settings, add

DOWN = (
    r"L' = \left\lfloor\tfrac{L + 2\,\mathrm{padding} - \mathrm{kernel}}"
    r"{\mathrm{stride}}\right\rfloor + 1"
)
AN = {1: "a sequence", 2: "an image", 3: "a volume"}
CEIL = flag(
    "ceil_mode", "Keep the last window if it extends past the edge instead of dropping it.", False
)


RETURN_INDICES = flag(
    "return_indices", "Also output the positions of the largest values, for MaxUnpool.", False
)
WITH_INDICES = (
    Port("output"),
    Port("indices", help="Positions of the largest values; only with return_indices."),
)


def with_indices(settings: Settings) -> str:
    """The outputs of a pooling: indices only where they are requested."""
    return "{output}, {indices}" if settings["return_indices"] else "{output}"


def window(dims: int) -> tuple[Setting, Setting]:
    """Declare kernel_size and stride."""
    size = pixels(dims)
    return (
        size("kernel_size", "Side of a window.", start=2, low=1, positional=True),
        size(
            "stride",
            "Step between windows; leave empty for the side of a window, so that none overlap.",
            default=None,
            low=1,
            optional=True,
        ),
    )


def padding(dims: int, what: str) -> Setting:
    """Declare padding."""
    return pixels(dims)(
        "padding", f"{what} added on every side; at most half a window.", default=0, low=0
    )


def pool(dims: int, name: str, summary: str, formula: str, *settings: Setting) -> Block:
    """Declare a block that slides a window."""
    return Block(
        name,
        family="pooling",
        summary=summary,
        inputs=(spatial(dims),),
        settings=settings,
        init=f"nn.{name}",
        shape_in=f"(N, C, {SPACE[dims]})",
        shape_out=f"(N, C, {NEW_SPACE[dims]})",
        formula=formula,
        reference=f"{NN}{name}.html",
        checks=(pooling_fits,),
        keywords=("pool", "downsample", "subsampling", "shrink", THING[dims]),
        traits=frozenset({"pools"}),
    )


def max_pool(dims: int) -> Block:
    """Declare MaxPool1d, MaxPool2d or MaxPool3d."""
    block = pool(
        dims,
        f"MaxPool{dims}d",
        "Keeps the largest value of every window.",
        r"y = \max_{\mathrm{window}} x,\quad " + DOWN,
        *window(dims),
        padding(dims, "Values below every other"),
        pixels(dims)("dilation", "Distance between the values of a window.", default=1, low=1),
        RETURN_INDICES,
        CEIL,
    )
    return replace(block, outputs=WITH_INDICES, returns=with_indices)


def avg_pool(dims: int) -> Block:
    """Declare AvgPool1d, AvgPool2d or AvgPool3d."""
    divisor = Setting(
        "divisor_override",
        "int",
        "Divide the sum by this number instead of the size of the window.",
        default=None,
        low=1,
        optional=True,
    )
    return pool(
        dims,
        f"AvgPool{dims}d",
        "Takes the mean of every window.",
        r"y = \frac{1}{k}\sum_{\mathrm{window}} x,\quad " + DOWN,
        *window(dims),
        padding(dims, "Zeros"),
        CEIL,
        flag("count_include_pad", "Include the zeros of the padding in the mean.", True),
        *((divisor,) if dims > 1 else ()),
    )


def adaptive(dims: int, kind: str, what: str, formula: str) -> Block:
    """Declare an adaptive pooling block."""
    name = f"Adaptive{kind}Pool{dims}d"
    return Block(
        name,
        family="pooling",
        summary=f"Cuts {AN[dims]} into a fixed number of windows and {what} of each.",
        inputs=(spatial(dims),),
        settings=(
            pixels(dims)(
                "output_size",
                "Number of windows: the size of the output"
                + (
                    "; 1 for one value per channel, nothing inside a list to keep a side."
                    if dims > 1
                    else "; 1 for one value per channel."
                ),
                start=1,
                low=1,
                positional=True,
                holes=dims > 1,
            ),
            *((RETURN_INDICES,) if kind == "Max" else ()),
        ),
        outputs=WITH_INDICES if kind == "Max" else (Port("output"),),
        returns=with_indices if kind == "Max" else "{output}",
        init=f"nn.{name}",
        shape_in=f"(N, C, {SPACE[dims]})",
        shape_out="(N, C, output_size)" if dims == 1 else "(N, C, *output_size)",
        formula=formula,
        reference=f"{NN}{name}.html",
        paper="Lin, Chen, Yan. Network in network. 2013",
        keywords=("global pooling", "gap", "pool", "any size", THING[dims]),
        traits=frozenset({"pools"}),
    )


def power_pool(dims: int) -> Block:
    """Declare LPPool1d, LPPool2d or LPPool3d."""
    return pool(
        dims,
        f"LPPool{dims}d",
        "Takes the p-norm of every window: between a sum (p = 1) and a maximum (large p).",
        r"y = \left(\sum_{\mathrm{window}} x^p\right)^{1/p}",
        Setting(
            "norm_type",
            "float",
            "Order p of the norm; 2 is the Euclidean length.",
            start=2,
            low=1,
            high=64,
            positional=True,
        ),
        *window(dims),
        CEIL,
    )


MEAN = r"y_i = \frac{1}{|W_i|}\sum_{j \in W_i} x_j"
LARGEST = r"y_i = \max_{j \in W_i} x_j"

add(
    *(max_pool(dims) for dims in (1, 2, 3)),
    *(avg_pool(dims) for dims in (1, 2, 3)),
    *(adaptive(dims, "Avg", "takes the mean", MEAN) for dims in (1, 2, 3)),
    *(adaptive(dims, "Max", "keeps the largest value", LARGEST) for dims in (1, 2, 3)),
    *(power_pool(dims) for dims in (1, 2, 3)),
)


def unpool(dims: int) -> Block:
    """Declare MaxUnpool1d, MaxUnpool2d or MaxUnpool3d."""
    size, name = pixels(dims), f"MaxUnpool{dims}d"
    form = f"(N, C, {SPACE[dims]})"
    return Block(
        name,
        family="pooling",
        summary="Puts values back at the positions a MaxPool took them from, with zeros elsewhere.",
        inputs=(
            spatial(dims),
            Port(
                "indices",
                rank=(dims + 2,),
                dtype="int",
                form=form,
                help=f"The positions: indices of a MaxPool{dims}d with return_indices.",
            ),
        ),
        settings=(
            size(
                "kernel_size", "Side of a window of the MaxPool.", start=2, low=1, positional=True
            ),
            size(
                "stride",
                "Step between its windows; leave empty for the side of a window.",
                default=None,
                low=1,
                optional=True,
            ),
            size("padding", "Padding of the MaxPool.", default=0, low=0),
            Setting(
                "output_size",
                "dims",
                "Size of the output, if several are possible.",
                default=None,
                low=1,
                optional=True,
                call=True,
            ),
        ),
        init=f"nn.{name}",
        forward="{module}({input}, {indices}{settings})",
        shape_in=form,
        shape_out=f"(N, C, {NEW_SPACE[dims]})",
        formula=r"L' = (L - 1)\,\mathrm{stride} - 2\,\mathrm{padding} + \mathrm{kernel}",
        reference=f"{NN}{name}.html",
        paper="Zeiler, Fergus. Visualizing and understanding convolutional networks. 2013",
        keywords=("unpool", "decoder", "segnet", "enlarge", THING[dims]),
    )


def fractional(dims: int) -> Block:
    """Declare FractionalMaxPool2d or FractionalMaxPool3d."""
    size, name = pixels(dims), f"FractionalMaxPool{dims}d"
    return Block(
        name,
        family="pooling",
        summary=f"Cuts {AN[dims]} into random windows and keeps the largest value of each.",
        inputs=(spatial(dims),),
        settings=(
            size("kernel_size", "Side of a window.", start=2, low=1, positional=True),
            size(
                "output_size",
                "Sides of the output. Give either this or output_ratio.",
                default=None,
                start=4,
                low=1,
                optional=True,
            ),
            Setting(
                "output_ratio",
                "float",
                "Sides of the output as a share of the input's, one number or one for each side.",
                default=None,
                low=0.01,
                high=0.99,
                optional=True,
                several=True,
                length=dims,
            ),
            flag("return_indices", "Also output the positions of the largest values.", False),
        ),
        outputs=WITH_INDICES,
        returns=with_indices,
        init=f"nn.{name}",
        shape_in=f"(N, C, {SPACE[dims]})",
        shape_out=f"(N, C, {NEW_SPACE[dims]})",
        formula=r"y = \max_{\mathrm{window}} x",
        reference=f"{NN}{name}.html",
        paper="Graham. Fractional max-pooling. 2014",
        keywords=("pool", "random", "downsample", THING[dims]),
        traits=frozenset({"pools"}),
    )


add(unpool(1), unpool(2), unpool(3), fractional(2), fractional(3))
