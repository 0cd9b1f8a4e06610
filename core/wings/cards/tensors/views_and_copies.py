"""Views and copies."""

from core.wings.cards.card import Card, CardPicture, Number

CARD = Card(
    name="views-and-copies",
    topic="Tensors",
    title="Views and copies",
    why="Many operations only read the same memory in another way. Writing into such a view "
    "changes the original tensor.",
    question="Of the ten tensors made from x in the code, how many share its memory?",
    numbers=(
        Number("views", "Views among the ten"),
        Number("moved", "Change of the sum of x[0] by writing into a view"),
    ),
    pictures=(
        CardPicture(
            "table",
            "Ten tensors made from x",
            ("rows",),
            "Which of them share the memory of x, and their strides.",
            ("expression", "shape", "strides", "memory"),
        ),
    ),
    references=(
        ("Tensor views", "https://docs.pytorch.org/docs/stable/tensor_view.html"),
        (
            "Tensor.reshape",
            "https://docs.pytorch.org/docs/stable/generated/torch.Tensor.reshape.html",
        ),
    ),
    after="Indexing with a list, clone and arithmetic allocate new memory; slices, transpose, "
    "expand and flatten of a contiguous tensor do not. reshape copies only when strides cannot "
    "describe the result.",
    targets=False,
)
