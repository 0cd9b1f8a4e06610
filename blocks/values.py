"""Values that no wire brings: learned parameters, buffers and constants, nodes of their own."""

from dataclasses import replace
from typing import Any

from blocks import initializers
from blocks.shape import DTYPES, dtype_setting
from blocks.shared import ANY, TENSOR, TORCH, operation, whole, wholes
from blocks.spec import Block, Port, Setting, add

SHAPE = Setting(
    "shape",
    "dims",
    "Sizes of the whole tensor; it has no batch, so start with 1 to repeat it.",
    start=(1, 1, 64),
    low=0,
    positional=True,
)
VIT = (
    "Dosovitskiy et al. An image is worth 16x16 words: transformers for image recognition "
    "at scale. 2020"
)


def like(name: str, summary: str, formula: str, *settings: Setting, **more: Any) -> Block:
    """Declare a tensor of the shape, dtype and device of another; random ones have a fraction."""
    drawn = name.startswith("rand")
    dtype = replace(dtype_setting(None), choices=DTYPES[:4]) if drawn else dtype_setting(None)
    return operation(
        name,
        "values",
        summary,
        f"torch.{name}({{input}}{''.join(', {' + s.name + '}' for s in settings)}{{settings}})",
        formula,
        inputs=(
            Port(
                "input", dtype="float" if drawn else "any", help="Only its shape and dtype count."
            ),
        ),
        settings=(*settings, dtype),
        shape_in="any",
        keywords=("constant", "fill", "same shape"),
        traits=frozenset() if drawn else frozenset({"fresh"}),
        **more,
    )


def new(name: str, size: str, summary: str, formula: str, *settings: Setting) -> Block:
    """Declare a tensor of given sizes, of the dtype and on the device of another."""
    sizes = Setting(
        size,
        "dims",
        "Sizes of the new tensor, batch included.",
        start=(1, 1),
        low=0,
        positional=True,
    )
    more = "".join(", {" + s.name + "}" for s in settings)
    return operation(
        name,
        "values",
        summary,
        f"{{input}}.{name}({{{size}}}{more}{{settings}})",
        formula,
        inputs=(Port("input", help="Only its dtype and device count."), wholes(size)),
        settings=(sizes, *settings, dtype_setting(None)),
        shape_in="any",
        shape_out=size,
        reference=f"{TENSOR}{name}.html",
        keywords=("constant", "fill", "mask"),
        traits=frozenset({"fresh"}),
    )


FILL = Setting(
    "fill_value",
    "float",
    "The number to fill it with.",
    start=1,
    positional=True,
    choices=("inf", "-inf"),
)
ONE = r"y = 1"

add(
    Block(
        "Parameter",
        "values",
        "A learned tensor, such as the class token or the positions of a ViT.",
        inputs=(),
        settings=(
            SHAPE,
            initializers.of_parameter("zeros"),
            initializers.NORMAL,
            initializers.CONSTANT,
            Setting("requires_grad", "bool", "Let training change it.", default=True),
        ),
        init="nn.Parameter",
        built=initializers.parameter,
        forward="{module}",
        writes=initializers.WRITES,
        shape_in="none",
        shape_out="shape",
        formula=r"y = W",
        reference="https://docs.pytorch.org/docs/stable/generated/torch.nn.parameter.Parameter.html",
        paper=VIT,
        keywords=("weight", "class token", "position embedding", "learned", "layer scale"),
        traits=frozenset({"learns", "stored"}),
    ),
    Block(
        "Buffer",
        "values",
        "A tensor that is saved with the weights but not learned.",
        inputs=(),
        settings=(
            SHAPE,
            initializers.of_buffer(),
            initializers.NORMAL,
            initializers.CONSTANT,
            Setting(
                "dtype",
                "choice",
                "Type of the values.",
                default="float32",
                choices=DTYPES,
                bare="torch.",
            ),
            Setting("persistent", "bool", "Save it with the weights.", default=True),
        ),
        init="nn.Buffer",
        built=initializers.buffer,
        forward="{module}",
        writes=(*initializers.WRITES, "torch.tril", "torch.triu", "torch.cumsum"),
        shape_in="none",
        shape_out="shape",
        checks=(initializers.start_fits,),
        formula=r"y = B",
        reference="https://docs.pytorch.org/docs/stable/generated/torch.nn.parameter.Buffer.html",
        keywords=("constant", "table", "mask", "index", "not learned"),
        traits=frozenset({"stored"}),
    ),
    like("zeros_like", "Makes zeros of the shape of its input.", r"y = 0"),
    like("ones_like", "Makes ones of the shape of its input.", ONE),
    like("full_like", "Makes a tensor of one number, of the shape of its input.", r"y = v", FILL),
    like(
        "rand_like",
        "Draws random numbers between 0 and 1, of the shape of its input.",
        r"y \sim U(0, 1)",
    ),
    like(
        "randn_like",
        "Draws normal random numbers, of the shape of its input: "
        "the noise of a variational autoencoder.",
        r"y \sim \mathcal{N}(0, 1)",
        paper="Kingma, Welling. Auto-encoding variational Bayes. 2013",
    ),
    new("new_zeros", "size", "Makes zeros of given sizes.", r"y = 0"),
    new("new_ones", "size", "Makes ones of given sizes.", ONE),
    new("new_full", "size", "Makes a tensor of one number, of given sizes.", r"y = v", FILL),
    operation(
        "linspace",
        "values",
        "Makes evenly spaced numbers from a first to a last one.",
        "torch.linspace({start}, {end}, {steps}, device={input}.device{settings})",
        r"y_i = s + \tfrac{i}{n - 1}(e - s)",
        inputs=(Port("input", help="Only its device counts."), whole("steps")),
        settings=(
            Setting("start", "float", "The first number.", start=0, positional=True),
            Setting("end", "float", "The last number.", start=1, positional=True),
            Setting("steps", "int", "Number of values.", start=10, low=0, positional=True),
            dtype_setting(None),
        ),
        shape_in="any",
        shape_out="(steps,)",
        keywords=("range", "grid", "coordinates"),
    ),
    operation(
        "expand",
        "shape",
        "Repeats sizes of 1 without copying, as a class token over the batch.",
        "{input}.expand({*size})",
        r"(1, 1, C) \to (N, 1, C)",
        inputs=(ANY, wholes("size")),
        settings=(
            Setting(
                "size",
                "dims",
                "The new sizes; -1 keeps a size as it is.",
                start=(-1, 4, -1),
                low=-1,
                positional=True,
            ),
        ),
        shape_out="size",
        reference=TENSOR + "expand.html",
        keywords=("broadcast", "repeat", "class token"),
        traits=frozenset({"views"}),
    ),
    operation(
        "expand_as",
        "shape",
        "Repeats sizes of 1 until it has the shape of another tensor.",
        "{input}.expand_as({other})",
        r"(N, 1, C) \to (N, L, C)",
        inputs=(ANY, Port("other", help="Only its shape counts.")),
        shape_out="the shape of other",
        reference=TENSOR + "expand_as.html",
        keywords=("broadcast", "repeat"),
        traits=frozenset({"views"}),
    ),
    operation(
        "view_as",
        "shape",
        "Arranges values in the shape of another tensor.",
        "{input}.view_as({other})",
        r"(N, a \cdot b) \to (N, a, b)",
        inputs=(ANY, Port("other", help="Only its shape counts.")),
        shape_out="the shape of other",
        reference=TENSOR + "view_as.html",
        traits=frozenset({"reshapes", "views"}),
        keywords=("reshape", "arrange"),
    ),
    operation(
        "meshgrid",
        "values",
        "Makes coordinate grids from vectors, one grid for each.",
        "torch.meshgrid({tensors}, indexing={indexing})",
        r"y^{(1)}_{ij} = a_i,\; y^{(2)}_{ij} = b_j",
        inputs=(Port("tensors", kind="tensors", rank=(1,), form="(L,)"),),
        outputs=(Port("output", kind="tensors", help="One grid for every vector."),),
        settings=(
            Setting(
                "indexing",
                "choice",
                "Whether rows (ij) or columns (xy) come first.",
                default="ij",
                choices=("ij", "xy"),
            ),
        ),
        shape_in="vectors",
        shape_out="a grid for each",
        reference=TORCH + "meshgrid.html",
        keywords=("grid", "coordinates", "position"),
    ),
)
