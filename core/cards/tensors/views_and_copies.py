"""Views and copies."""

from core.cards.card import Card, Number, Picture

CARD = Card(
    name="views-and-copies",
    topic="Tensors",
    title="Views and copies",
    why="Many operations only read the same memory in another way, and writing into such a view "
    "writes into the tensor it came from.",
    asks="Of the ten tensors made from x in the code, how many share its memory?",
    numbers=(
        Number("views", "Views among the ten"),
        Number("moved", "What writing into a view did to the sum of x[0]"),
    ),
    pictures=(
        Picture(
            "table",
            "Ten tensors made from x",
            ("rows",),
            "Which of them share the memory of x, and how they step through it.",
            ("expression", "shape", "strides", "memory"),
        ),
    ),
    reads=(
        ("Tensor views", "https://docs.pytorch.org/docs/stable/tensor_view.html"),
        (
            "Tensor.reshape",
            "https://docs.pytorch.org/docs/stable/generated/torch.Tensor.reshape.html",
        ),
    ),
    after="Indexing with a list, clone and arithmetic make new memory; slices, transpose, "
    "expand and "
    "flatten of what is contiguous do not. reshape copies only where strides cannot say it.",
    targets=False,
)
