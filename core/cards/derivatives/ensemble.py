"""Gradients of an ensemble."""

from core.cards.card import Card, Cost, Number, Picture
from core.cards.derivatives.limits import without_vmap

CARD = Card(
    name="ensemble",
    topic="Derivatives",
    title="An ensemble in one vmap",
    why="The same drawing begun from other seeds points into other directions, and vmap works out "
    "all their gradients at once.",
    asks="Eight networks begin from eight seeds. What is the mean cosine between their gradients "
    "(from -1 to 1)?",
    numbers=(
        Number("alike", "Mean cosine between members"),
        Number("difference", "One member differs from itself alone by"),
    ),
    pictures=(
        Picture(
            "heat",
            "Cosine between gradients",
            ("cosines",),
            "How alike the gradients of any two members are on the same batch; 1 on the diagonal.",
            axes=("member", "member"),
        ),
    ),
    reads=(
        ("Model ensembling", "https://docs.pytorch.org/tutorials/intermediate/ensembling.html"),
        (
            "torch.func.stack_module_state",
            "https://docs.pytorch.org/docs/stable/generated/torch.func.stack_module_state.html",
        ),
    ),
    after="Weights of different seeds stand for different things, so their gradients agree little: "
    "that is why averaging the answers of members helps, and averaging their weights does not.",
    unfit=without_vmap,
    constants=lambda _drawing, _part: {"MEMBERS": 8},
    cost=lambda _drawing, _part: Cost(passes=40, copies=30, batches=9),
)
