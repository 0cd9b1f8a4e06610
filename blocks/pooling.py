"""Layers that summarise neighbouring values, to make an image or sequence smaller."""

from blocks.checks.windows import pooling_fits
from blocks.shared import NEW_SPACE, NN, SPACE, THING, flag, pixels, spatial
from blocks.spec import Block, Setting, add

DOWN = (
    r"L' = \left\lfloor\tfrac{L + 2\,\mathrm{padding} - \mathrm{kernel}}"
    r"{\mathrm{stride}}\right\rfloor + 1"
)
CEIL = flag("ceil_mode", "Let the last window hang over the edge instead of dropping it.", False)


def window(dims: int) -> tuple[Setting, Setting]:
    """Declare kernel_size and stride."""
    size = pixels(dims)
    return (
        size("kernel_size", "Side of a window.", start=2, low=1, positional=True),
        size(
            "stride",
            "Step between windows; nothing for the side of a window, so that none overlap.",
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
    )


def max_pool(dims: int) -> Block:
    """Declare MaxPool1d or MaxPool2d."""
    return pool(
        dims,
        f"MaxPool{dims}d",
        "Keeps the largest value of every window.",
        r"y = \max_{\mathrm{window}} x,\quad " + DOWN,
        *window(dims),
        padding(dims, "Values below every other"),
        pixels(dims)("dilation", "Distance between the values of a window.", default=1, low=1),
        CEIL,
    )


def avg_pool(dims: int) -> Block:
    """Declare AvgPool1d or AvgPool2d."""
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
        flag("count_include_pad", "Count the padding's zeros in the mean.", True),
        *((divisor,) if dims == 2 else ()),
    )


def adaptive(dims: int, kind: str, what: str, formula: str) -> Block:
    """Declare an adaptive pooling block."""
    name = f"Adaptive{kind}Pool{dims}d"
    return Block(
        name,
        family="pooling",
        summary=f"Cuts {'a sequence' if dims == 1 else 'an image'} into a fixed number of "
        f"windows and {what} of each.",
        inputs=(spatial(dims),),
        settings=(
            pixels(dims)(
                "output_size",
                "Number of windows, so size of the output"
                + (
                    "; 1 for one value per channel, nothing inside a list to keep a side."
                    if dims == 2
                    else "; 1 for one value per channel."
                ),
                start=1,
                low=1,
                positional=True,
                holes=dims == 2,
            ),
        ),
        init=f"nn.{name}",
        shape_in=f"(N, C, {SPACE[dims]})",
        shape_out="(N, C, output_size)" if dims == 1 else "(N, C, *output_size)",
        formula=formula,
        reference=f"{NN}{name}.html",
        paper="Lin, Chen, Yan. Network in network. 2013",
        keywords=("global pooling", "gap", "pool", "any size", THING[dims]),
    )


add(
    max_pool(1),
    max_pool(2),
    avg_pool(1),
    avg_pool(2),
    adaptive(1, "Avg", "takes the mean", r"y_i = \frac{1}{|W_i|}\sum_{j \in W_i} x_j"),
    adaptive(2, "Avg", "takes the mean", r"y_i = \frac{1}{|W_i|}\sum_{j \in W_i} x_j"),
    adaptive(1, "Max", "keeps the largest value", r"y_i = \max_{j \in W_i} x_j"),
    adaptive(2, "Max", "keeps the largest value", r"y_i = \max_{j \in W_i} x_j"),
    pool(
        2,
        "LPPool2d",
        "Takes the p-norm of every window: between a sum (p = 1) and a maximum (large p).",
        r"y = \left(\sum_{\mathrm{window}} x^p\right)^{1/p}",
        Setting(
            "norm_type",
            "float",
            "The p of the norm; 2 is the usual length.",
            start=2,
            low=1,
            high=64,
            positional=True,
        ),
        *window(2),
        CEIL,
    ),
)
