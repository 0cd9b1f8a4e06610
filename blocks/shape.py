"""Operations that arrange values anew without computing any."""

from collections.abc import Callable
from typing import Any

from blocks.checks.arrange import narrows, reshapes, selects, unflattens
from blocks.checks.dims import (
    distinct,
    flattens,
    in_range,
    joins_batch,
    keeps_batch,
    not_one,
    permutes,
)
from blocks.shared import ANY, DIMS, NN, TENSOR, TORCH, whole, wholes
from blocks.spec import REQUIRED, Block, Port, Setting, Settings, add

DTYPES = (
    "float32",
    "float64",
    "float16",
    "bfloat16",
    "int64",
    "int32",
    "int16",
    "int8",
    "uint8",
    "bool",
)
VIEWS = frozenset({"views"})
Expression = Callable[[Settings, frozenset[str]], str]


def dim(name: str, about: str, start: int | None, default: int = REQUIRED) -> Setting:
    """Declare a setting that names a dimension."""
    return Setting(name, "int", f"{about} {DIMS}", default, start, positional=default is REQUIRED)


def dtype_setting(default: Any = REQUIRED, **more: Any) -> Setting:
    """Declare dtype, a kind of number."""
    about = "Data type of the result" + (
        "." if default is REQUIRED else "; leave empty for that of the input."
    )
    return Setting(
        "dtype",
        "choice",
        about,
        default,
        choices=DTYPES,
        bare="torch.",
        optional=default is None,
        positional=default is REQUIRED,
        **more,
    )


def flatten(name: str) -> Block:
    """Declare flatten, or Flatten, whose start_dim is 1 by itself."""
    module = name == "Flatten"
    start = dim("start_dim", "First dimension to join.", None if module else 1, default=int(module))
    end = dim("end_dim", "Last dimension to join.", None, default=-1)
    return Block(
        name,
        family="shape",
        summary="Joins dimensions into one, as between an image and a Linear.",
        inputs=(ANY,),
        settings=(start, end),
        init="nn.Flatten" if module else "",
        forward="" if module else "torch.flatten({input}{settings})",
        shape_in="(N, *)",
        shape_out="(N, product of the joined sizes)",
        formula=r"(N, C, H, W) \to (N, C \cdot H \cdot W)",
        reference=(NN + "Flatten.html") if module else TORCH + "flatten.html",
        checks=(in_range("start_dim", "end_dim"), flattens),
        warnings=(joins_batch,),
        keywords=("vector", "reshape", "row"),
        traits=VIEWS | {"reshapes", "flattens"},
        stem="flat",
    )


def unflatten(name: str, sizes: str) -> Block:
    """Declare unflatten or Unflatten."""
    module = name == "Unflatten"
    new = Setting(
        sizes,
        "dims",
        "Sizes to cut it into; their product is the old size, and one may be -1.",
        start=(1, -1),
        low=-1,
        positional=True,
    )
    old = dim("dim", "Dimension to cut.", 1)
    return Block(
        name,
        family="shape",
        summary="Splits one dimension into several: the reverse of flatten.",
        inputs=(ANY,) if module else (ANY, wholes(sizes)),
        settings=(old, new),
        init="nn.Unflatten" if module else "",
        forward="" if module else "torch.unflatten({input}, {dim}, {sizes})",
        shape_in="(N, *)",
        shape_out="(N, *) with dimension dim cut into the given sizes",
        formula=r"(N, C \cdot H \cdot W) \to (N, C, H, W)",
        reference=(NN + "Unflatten.html") if module else TORCH + "unflatten.html",
        checks=(in_range("dim"), unflattens(sizes)),
        keywords=("image", "reshape", "split", "decoder"),
        traits=VIEWS | {"reshapes", "regroups"},
    )


def operation(
    name: str, summary: str, forward: str | Expression, formula: str, **more: Any
) -> Block:
    """Declare a torch function that rearranges one tensor."""
    declared: dict[str, Any] = {
        "inputs": (ANY,),
        "shape_in": "(N, *)",
        "reference": f"{TORCH}{name}.html",
        **more,
        "traits": VIEWS | more.get("traits", frozenset()),
    }
    return Block(
        name, family="shape", summary=summary, forward=forward, formula=formula, **declared
    )


add(
    flatten("flatten"),
    flatten("Flatten"),
    unflatten("unflatten", "sizes"),
    unflatten("Unflatten", "unflattened_size"),
    operation(
        "reshape",
        "Gives the values of each sample another shape.",
        "torch.reshape({input}, {shape})",
        r"(N, a, b) \to (N, c, d),\quad a \cdot b = c \cdot d",
        settings=(
            Setting(
                "shape",
                "dims",
                "The new sizes. Start with -1, which stands for the batch.",
                start=(-1, 784),
                low=-1,
                positional=True,
            ),
        ),
        shape_out="shape",
        inputs=(ANY, wholes("shape")),
        checks=(reshapes,),
        keywords=("view", "resize", "arrange"),
        traits=frozenset({"reshapes"}),
    ),
    operation(
        "permute",
        "Puts the dimensions into another order.",
        "torch.permute({input}, {dims})",
        r"y_{i_{d_0} \dots i_{d_n}} = x_{i_0 \dots i_n}",
        settings=(
            Setting(
                "dims",
                "dims",
                f"The old dimensions in their new order, each once. {DIMS}",
                start=(0, 2, 1),
                positional=True,
            ),
        ),
        shape_out="the sizes in their new order",
        checks=(permutes,),
        keywords=("reorder", "axes", "channels last", "swap"),
    ),
    operation(
        "transpose",
        "Swaps two dimensions.",
        "torch.transpose({input}, {dim0}, {dim1})",
        r"(N, L, C) \to (N, C, L)",
        settings=(dim("dim0", "One dimension.", 1), dim("dim1", "The other dimension.", 2)),
        shape_out="(N, *) with two sizes swapped",
        checks=(in_range("dim0", "dim1"),),
        keywords=("swap", "axes"),
    ),
    operation(
        "squeeze",
        "Drops dimensions of size 1.",
        "torch.squeeze({input}{settings})",
        r"(N, 1, L) \to (N, L)",
        settings=(
            Setting(
                "dim",
                "size",
                f"Dimension to drop, or a list of them. {DIMS}",
                default=None,
                start=1,
                optional=True,
            ),
        ),
        shape_out="(N, *) without the sizes of 1",
        checks=(in_range("dim"), distinct("dim"), keeps_batch),
        warnings=(not_one,),
        keywords=("remove dimension",),
        traits=frozenset({"reshapes"}),
    ),
    operation(
        "unsqueeze",
        "Adds a dimension of size 1, such as the single channel of a gray image.",
        "torch.unsqueeze({input}, {dim})",
        r"(N, L) \to (N, 1, L)",
        settings=(dim("dim", "Position of the new dimension.", 1),),
        shape_out="(N, *) with a size of 1 at dim",
        checks=(in_range("dim", extra=1),),
        keywords=("add dimension", "channel"),
        traits=frozenset({"reshapes"}),
    ),
    operation(
        "select",
        "Takes one entry of a dimension, such as the last step of a sequence.",
        "torch.select({input}, {dim}, {index})",
        r"y = x_{:, i}",
        settings=(
            dim("dim", "Dimension to take from.", 1),
            Setting(
                "index",
                "int",
                "Index of the entry, from 0; -1 is the last.",
                start=-1,
                positional=True,
            ),
        ),
        inputs=(ANY, whole("index")),
        shape_out="(N, *) without dimension dim",
        checks=(in_range("dim"), selects),
        keywords=("index", "last step", "slice", "pick"),
        traits=frozenset({"selects"}),
    ),
    operation(
        "narrow",
        "Takes a range of entries of a dimension.",
        "torch.narrow({input}, {dim}, {start}, {length})",
        r"y = x_{:, s : s + l}",
        settings=(
            dim("dim", "Dimension to take from.", 1),
            Setting("start", "int", "Index of the first entry, from 0.", start=0, positional=True),
            Setting("length", "int", "Number of entries to take.", start=1, low=1, positional=True),
        ),
        inputs=(ANY, whole("start"), whole("length")),
        shape_out="(N, *) with length entries in dimension dim",
        checks=(in_range("dim"), narrows),
        keywords=("slice", "crop", "split", "chunk"),
    ),
    operation(
        "to",
        "Converts the values to another data type.",
        "{input}.to({dtype})",
        r"y = x",
        settings=(dtype_setting(start="float32"),),
        inputs=(Port("input"),),
        shape_out="the same",
        reference=TENSOR + "to.html",
        keywords=("cast", "dtype", "convert", "float", "long", "bool"),
    ),
)
