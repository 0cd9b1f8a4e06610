"""Where data enters and leaves a graph."""

from blocks.spec import Block, Port, Setting, add

DTYPES = ("float32", "int64", "bool")
END = frozenset({"end"})

add(
    Block(
        "Input",
        family="ends",
        summary="Data enters the network here: one argument of its forward.",
        inputs=(),
        outputs=(Port("output", help="The data, batch first."),),
        settings=(
            Setting(
                "shape",
                "dims",
                "Sizes of one sample, such as channels, height, width. "
                "The batch comes first by itself and is shown as N.",
                start=(1, 28, 28),
                low=1,
            ),
            Setting(
                "dtype",
                "choice",
                "Data type: float32 for measurements and pixels, "
                "int64 for tokens and classes, bool for masks.",
                default="float32",
                choices=DTYPES,
            ),
            Setting(
                "static_shape",
                "dims",
                "Sizes of a sample that every input has to have, None where any will do: forward "
                "refuses others. An import sets it where a model decides by its sizes.",
                default=None,
                low=1,
                optional=True,
                holes=True,
            ),
        ),
        shape_in="none",
        shape_out="(N, *shape)",
        formula=r"x \in \mathbb{R}^{N \times \mathrm{shape}}",
        reference="https://docs.pytorch.org/docs/stable/tensors.html",
        keywords=("image", "data", "argument", "source", "placeholder"),
        traits=END,
        stem="image",
    ),
    Block(
        "Output",
        family="ends",
        summary="A result leaves the network here: what its forward returns.",
        inputs=(Port("input", help="The value to return."),),
        outputs=(),
        shape_in="any",
        shape_out="none",
        formula=r"y",
        reference="https://docs.pytorch.org/docs/stable/generated/torch.nn.Module.html",
        keywords=("result", "return", "logits", "prediction"),
        traits=END,
        stem="logits",
    ),
)
