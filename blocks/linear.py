"""Fully connected layers."""

from blocks.spec import Block, Infer, Port, Setting, add

DOCS = "https://docs.pytorch.org/docs/stable/generated/torch.nn."

add(
    Block(
        "Linear",
        family="linear",
        summary="Every output is a weighted sum of all inputs, plus a bias.",
        inputs=(Port("input", dtype="float", form="(N, *, in_features)"),),
        settings=(
            Setting(
                "in_features",
                "int",
                "Features of the input.",
                low=1,
                positional=True,
                infer=Infer("input", -1),
            ),
            Setting(
                "out_features", "int", "Features of the output.", start=10, low=1, positional=True
            ),
            Setting("bias", "bool", "Add a learned constant to each output.", default=True),
        ),
        init="nn.Linear",
        shape_in="(N, *, in_features)",
        shape_out="(N, *, out_features)",
        formula=r"y = x A^\mathsf{T} + b",
        reference=DOCS + "Linear.html",
        keywords=("dense", "fully connected", "fc"),
    ),
)
