"""Leaves of the autograd graph."""

from core.wings.cards.card import Card, CardPicture, Number

CARD = Card(
    name="leaves",
    topic="Tensors",
    title="Leaves and grad_fn",
    why="A leaf was not computed from trainable tensors; only leaves with requires_grad keep a "
    "gradient after backward().",
    question="How many tensors of this network will hold a gradient after backward()?",
    numbers=(
        Number("holding", "Tensors that hold a gradient"),
        Number("numbers_held", "Numbers in those gradients"),
    ),
    pictures=(
        CardPicture(
            "table",
            "Tensors of one step",
            ("rows",),
            "Computed tensors have a grad_fn; trainable ones are leaves that require a gradient.",
            ("tensor", "leaf", "requires_grad", "grad_fn"),
        ),
    ),
    references=(
        ("Autograd mechanics", "https://docs.pytorch.org/docs/stable/notes/autograd.html"),
        (
            "Tensor.is_leaf",
            "https://docs.pytorch.org/docs/stable/generated/torch.Tensor.is_leaf.html",
        ),
    ),
    after="Each weight and each bias is one tensor. The output has a gradient during the "
    "backward pass too, but does not keep it unless retain_grad() was called.",
)
