"""Shape operations that move, repeat and cut out: roll, flip, repeat, fold, unfold."""

from blocks.checks.dims import in_range
from blocks.checks.floats import same_floats
from blocks.shared import ANY, DIMS, NN, TENSOR, floats, operation, pixels, whole, wholes
from blocks.spec import Block, Setting, add

WORDS = ("copy", "tile")
DIM = f"Dimension, or a list of them. {DIMS}"


def sliding(name: str, summary: str, formula: str, shape_in: str, shape_out: str) -> Block:
    """Declare Fold or Unfold."""
    fold = name == "Fold"
    size = pixels(2)
    output = (size("output_size", "Sides of the image.", start=4, low=1, positional=True),)
    return Block(
        name,
        "shape",
        summary,
        inputs=(floats(rank=(3,) if fold else (4,), form=shape_in),),
        settings=(
            *(output if fold else ()),
            size("kernel_size", "Side of a patch.", start=2, low=1, positional=True),
            size("dilation", "Distance between the pixels of a patch.", default=1, low=1),
            size("padding", "Zeros added on every side.", default=0, low=0),
            size("stride", "Step between patches.", default=1, start=2, low=1),
        ),
        init=f"nn.{name}",
        shape_in=shape_in,
        shape_out=shape_out,
        formula=formula,
        reference=f"{NN}{name}.html",
        keywords=("patches", "sliding", "im2col", "blocks"),
    )


add(
    operation(
        "roll",
        "shape",
        "Shifts entries along dimensions and wraps around at the ends.",
        "torch.roll({input}, {shifts}{settings})",
        r"y_i = x_{i - s}",
        inputs=(ANY, wholes("shifts")),
        settings=(
            Setting(
                "shifts",
                "size",
                "How far to move, or a list, one for each of dims.",
                start=1,
                positional=True,
            ),
            Setting("dims", "size", DIM, default=(), start=1),
        ),
        keywords=("shift", "cyclic", "swin"),
    ),
    operation(
        "flip",
        "shape",
        "Reverses the order of entries.",
        "torch.flip({input}, {dims})",
        r"y_i = x_{n - 1 - i}",
        settings=(
            Setting("dims", "dims", f"Dimensions to reverse. {DIMS}", start=(-1,), positional=True),
        ),
        keywords=("mirror", "reverse", "augmentation"),
    ),
    operation(
        "repeat",
        "shape",
        "Copies the whole tensor side by side.",
        "{input}.repeat({*repeats})",
        r"(N, C) \to (a N, b C)",
        inputs=(ANY, wholes("repeats")),
        settings=(
            Setting(
                "repeats",
                "dims",
                "Number of copies along each dimension, batch first.",
                start=(1, 2),
                low=0,
                positional=True,
            ),
        ),
        shape_out="the sizes times repeats",
        reference=TENSOR + "repeat.html",
        keywords=WORDS,
    ),
    operation(
        "repeat_interleave",
        "shape",
        "Copies every entry, each next to its copies.",
        "torch.repeat_interleave({input}, {repeats}{settings})",
        r"(a, b) \to (a, a, b, b)",
        inputs=(ANY, whole("repeats")),
        settings=(
            Setting(
                "repeats", "int", "Number of copies of each entry.", start=2, low=0, positional=True
            ),
            Setting(
                "dim",
                "int",
                f"Dimension to copy along. {DIMS}",
                default=None,
                start=1,
                optional=True,
            ),
        ),
        shape_out="(N, *) with repeats times as many entries",
        keywords=WORDS,
    ),
    operation(
        "movedim",
        "shape",
        "Moves dimensions to other positions; the others keep their order.",
        "torch.movedim({input}, {source}, {destination})",
        r"(N, C, L) \to (N, L, C)",
        settings=(
            Setting("source", "size", DIM, start=1, positional=True),
            Setting(
                "destination",
                "size",
                "Their new positions, one for each.",
                start=-1,
                positional=True,
            ),
        ),
        shape_out="the sizes in their new order",
        keywords=("permute", "channels last", "transpose"),
        traits=frozenset({"views"}),
    ),
    operation(
        "unfold",
        "shape",
        "Cuts sliding windows out of one dimension.",
        "{input}.unfold({dimension}, {size}, {step})",
        r"(N, L) \to (N, L', k)",
        settings=(
            Setting("dimension", "int", f"Dimension to cut from. {DIMS}", start=1, positional=True),
            Setting("size", "int", "Length of a window.", start=2, low=1, positional=True),
            Setting("step", "int", "Step between windows.", start=1, low=1, positional=True),
        ),
        shape_out="the number of windows in that dimension, their length at the end",
        reference=TENSOR + "unfold.html",
        checks=(in_range("dimension"),),
        keywords=("windows", "frames", "sliding", "patches"),
        traits=frozenset({"views"}),
    ),
    sliding(
        "Unfold",
        "Cuts an image into patches and lays each out as a column.",
        r"(N, C, H, W) \to (N, C k^2, L)",
        "(N, C, H, W)",
        "(N, C*k*k, L)",
    ),
    sliding(
        "Fold",
        "Puts patches back into an image; where they overlap they are added.",
        r"(N, C k^2, L) \to (N, C, H, W)",
        "(N, C*k*k, L)",
        "(N, C, H, W)",
    ),
    Block(
        "ChannelShuffle",
        "shape",
        "Shuffles channels between groups, so that grouped convolutions exchange information.",
        inputs=(floats(rank=(3, 4, 5), form="(N, C, *)"),),
        settings=(
            Setting(
                "groups",
                "int",
                "Number of groups; it must divide the channels.",
                start=2,
                low=1,
                positional=True,
            ),
        ),
        init="nn.ChannelShuffle",
        shape_in="(N, C, *)",
        shape_out="the same",
        formula=r"(g, C / g) \to (C / g, g)",
        reference=NN + "ChannelShuffle.html",
        paper="Zhang, Zhou, Lin, Sun. ShuffleNet: an extremely efficient convolutional neural "
        "network for mobile devices. 2018",
        keywords=("shufflenet", "groups", "permute"),
    ),
    Block(
        "grid_sample",
        "shape",
        "Samples an image at the positions of a grid, also between pixels.",
        inputs=(
            floats(rank=(4, 5), form="(N, C, H, W)"),
            floats(
                "grid",
                rank=(4, 5),
                form="(N, H', W', 2)",
                about="Positions from -1 to 1, x before y.",
            ),
        ),
        settings=(
            Setting(
                "mode",
                "choice",
                "How values between pixels are interpolated.",
                default="bilinear",
                choices=("bilinear", "nearest", "bicubic"),
            ),
            Setting(
                "padding_mode",
                "choice",
                "Values outside the image.",
                default="zeros",
                choices=("zeros", "border", "reflection"),
            ),
            Setting(
                "align_corners",
                "bool",
                "Let -1 and 1 be the centres of the corner pixels.",
                default=None,
                start=False,
                optional=True,
            ),
        ),
        forward="F.grid_sample({input}, {grid}{settings})",
        shape_in="(N, C, H, W) and (N, H', W', 2)",
        shape_out="(N, C, H', W')",
        formula=r"y_{ij} = x(g_{ij})",
        reference="https://docs.pytorch.org/docs/stable/generated/"
        "torch.nn.functional.grid_sample.html",
        paper="Jaderberg, Simonyan, Zisserman, Kavukcuoglu. Spatial transformer networks. 2015",
        checks=(same_floats,),
        keywords=("warp", "spatial transformer", "optical flow"),
    ),
    Block(
        "affine_grid",
        "shape",
        "Makes the grid for grid_sample from rotations, scalings and shifts.",
        inputs=(
            floats("theta", rank=(3,), form="(N, 2, 3)", about="One matrix for each sample."),
            wholes("size"),
        ),
        settings=(
            Setting(
                "size",
                "dims",
                "Sizes of the image the grid is for: (N, C, H, W).",
                start=(1, 1, 8, 8),
                low=1,
                positional=True,
            ),
            Setting(
                "align_corners",
                "bool",
                "Let -1 and 1 be the centres of the corner pixels.",
                default=None,
                start=False,
                optional=True,
            ),
        ),
        forward="F.affine_grid({theta}, {size}{settings})",
        shape_in="(N, 2, 3)",
        shape_out="(N, H, W, 2)",
        formula=r"g = \theta\,(x, y, 1)^\mathsf{T}",
        reference="https://docs.pytorch.org/docs/stable/generated/"
        "torch.nn.functional.affine_grid.html",
        keywords=("warp", "spatial transformer", "rotate"),
    ),
)
