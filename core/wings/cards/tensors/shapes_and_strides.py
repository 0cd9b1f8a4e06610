"""Shapes, dtypes and strides."""

from core.wings.cards.card import Card, CardPicture, Number

CARD = Card(
    name="shapes-and-strides",
    topic="Tensors",
    title="Shapes, dtypes and strides",
    why="A tensor is a row of numbers in memory; its strides are how many of them to skip for "
    "one step along each dimension.",
    question="How many numbers of the input are skipped from one sample to the next?",
    numbers=(Number("first_stride", "Stride of x along the batch", "numbers"),),
    pictures=(
        CardPicture(
            "table",
            "Every tensor in the forward pass",
            ("rows",),
            "The input and the output of each layer, in the order of execution.",
            ("tensor", "shape", "dtype", "strides", "contiguous"),
        ),
        CardPicture(
            "bars",
            "Bytes of each tensor",
            ("names", "bytes_held"),
            "Bytes of each tensor for this batch; training keeps most of them until backward.",
        ),
    ),
    references=(
        ("Tensor attributes", "https://docs.pytorch.org/docs/stable/tensor_attributes.html"),
        ("Tensor views", "https://docs.pytorch.org/docs/stable/tensor_view.html"),
    ),
    after="It is the product of all sizes of one sample, as x is contiguous. A layer that permutes "
    "dimensions changes strides and copies nothing.",
    targets=False,
)
