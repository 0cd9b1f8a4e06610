"""Operations between wires."""

from blocks.spec import Block, Port, Setting, add

add(
    Block(
        "add",
        family="arithmetic",
        summary="Adds two tensors element by element: the join of a residual connection.",
        inputs=(Port("input"), Port("other")),
        settings=(
            Setting("alpha", "float", "Factor on the second tensor before adding.", default=1),
        ),
        forward=lambda s: (
            "{input} + {other}" if s["alpha"] == 1 else "torch.add({input}, {other}{settings})"
        ),
        shape_in="two tensors of the same shape",
        shape_out="that shape",
        formula=r"y = a + \alpha b",
        reference="https://docs.pytorch.org/docs/stable/generated/torch.add.html",
    ),
    Block(
        "cat",
        family="arithmetic",
        summary="Joins tensors along one dimension, such as channels.",
        inputs=(Port("tensors", kind="tensors"),),
        settings=(
            Setting("dim", "int", "Dimension to join along; 1 is channels.", default=0, start=1),
        ),
        forward="torch.cat([{tensors}]{settings})",
        reference="https://docs.pytorch.org/docs/stable/generated/torch.cat.html",
    ),
)
