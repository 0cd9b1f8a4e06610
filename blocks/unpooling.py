"""Pooling with random windows, and the way back of max pooling."""

from blocks.pooling import AN, WITH_INDICES, with_indices
from blocks.shared import NEW_SPACE, NN, SPACE, THING, flag, pixels, spatial
from blocks.spec import Block, Port, Setting, add


def unpool(dims: int) -> Block:
    """Declare MaxUnpool1d, MaxUnpool2d or MaxUnpool3d."""
    size, name = pixels(dims), f"MaxUnpool{dims}d"
    form = f"(N, C, {SPACE[dims]})"
    return Block(
        name,
        family="pooling",
        summary="Puts values back to the places a MaxPool took them from, with zeros between.",
        inputs=(
            spatial(dims),
            Port("indices", rank=(dims + 2,), dtype="int", form=form,
                 help=f"The places: indices of a MaxPool{dims}d with return_indices."),
        ),
        settings=(
            size("kernel_size", "Side of a window of the MaxPool.", start=2, low=1,
                 positional=True),
            size("stride", "Step between its windows; nothing for the side of a window.",
                 default=None, low=1, optional=True),
            size("padding", "Padding of the MaxPool.", default=0, low=0),
            Setting("output_size", "dims", "Sides of the output, where several are possible.",
                    default=None, low=1, optional=True, call=True),
        ),
        init=f"nn.{name}",
        forward="{module}({input}, {indices}{settings})",
        shape_in=form,
        shape_out=f"(N, C, {NEW_SPACE[dims]})",
        formula=r"L' = (L - 1)\,\mathrm{stride} - 2\,\mathrm{padding} + \mathrm{kernel}",
        reference=f"{NN}{name}.html",
        paper="Zeiler, Fergus. Visualizing and understanding convolutional networks. 2013",
        keywords=("unpool", "decoder", "segnet", "enlarge", THING[dims]),
    )  # fmt: skip


def fractional(dims: int) -> Block:
    """Declare FractionalMaxPool2d or FractionalMaxPool3d."""
    size, name = pixels(dims), f"FractionalMaxPool{dims}d"
    return Block(
        name,
        family="pooling",
        summary=f"Cuts {AN[dims]} into windows drawn at random and keeps the largest of each.",
        inputs=(spatial(dims),),
        settings=(
            size("kernel_size", "Side of a window.", start=2, low=1, positional=True),
            size("output_size", "Sides of the output. Give either this or output_ratio.",
                 default=None, start=4, low=1, optional=True),
            Setting("output_ratio", "float", "Sides of the output as a share of the input's.",
                    default=None, low=0.01, high=0.99, optional=True),
            flag("return_indices", "Give the places of the largest values too.", False),
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
    )  # fmt: skip


add(unpool(1), unpool(2), unpool(3), fractional(2), fractional(3))
