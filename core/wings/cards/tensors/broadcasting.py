"""Broadcasting."""

from core.wings.cards.card import Card, CardPicture, Number

CARD = Card(
    name="broadcasting",
    topic="Tensors",
    title="Broadcasting",
    why="A smaller tensor is stretched to the shape of a larger one by strides of 0, and its "
    "gradient is the sum over all the positions it was stretched to.",
    question="One number b is added to every value of x, and everything is summed. What is the "
    "gradient of that sum with respect to b?",
    numbers=(Number("gradient", "Gradient with respect to b"),),
    pictures=(
        CardPicture(
            "table",
            "Stretched to the shape of x",
            ("rows",),
            "With a stride of 0 the same number is read again and again.",
            ("tensor", "shape", "stretched to", "strides"),
        ),
    ),
    references=(
        ("Broadcasting semantics", "https://docs.pytorch.org/docs/stable/notes/broadcasting.html"),
        (
            "torch.broadcast_to",
            "https://docs.pytorch.org/docs/stable/generated/torch.broadcast_to.html",
        ),
    ),
    after="It is the number of values in x: each position passes a gradient of 1 back to b, and "
    "they add up. This is how a bias learns from all samples at once.",
    targets=False,
)
