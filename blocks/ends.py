"""Where data enters and leaves a graph."""

from blocks.spec import Block, Port, Setting, add

DTYPES = ("float32", "int64", "bool")

add(
    Block(
        "Input",
        family="ends",
        summary="Data enters here: one argument of the network's forward.",
        inputs=(),
        settings=(
            Setting(
                "shape",
                "dims",
                "Sizes of one sample. The batch comes first by itself and is shown as N.",
                start=(1, 28, 28),
                low=1,
            ),
            Setting("dtype", "choice", "Kind of number.", default="float32", choices=DTYPES),
        ),
        shape_out="(N, *shape)",
        keywords=("image", "data", "argument"),
    ),
    Block(
        "Output",
        family="ends",
        summary="A result of the network: what its forward returns.",
        outputs=(),
        shape_in="any",
        keywords=("result", "return", "logits"),
    ),
)
