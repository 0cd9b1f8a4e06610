"""Gradients of an ensemble."""

from core.cards.card import Card, CardPicture, Cost, Number
from core.cards.derivatives.limits import without_vmap

CARD = Card(
    name="ensemble",
    topic="Derivatives",
    title="An ensemble with one vmap",
    why="The same network started from different seeds moves in different directions; vmap "
    "computes all the gradients at once.",
    question="Eight networks start from eight seeds. What is the mean cosine between their "
    "gradients (from -1 to 1)?",
    numbers=(
        Number("alike", "Mean cosine between members"),
        Number("difference", "Difference between one member in the ensemble and alone"),
    ),
    pictures=(
        CardPicture(
            "heat",
            "Cosine between gradients",
            ("cosines",),
            "Similarity of the gradients of each two members on the same batch; 1 on the diagonal.",
            axes=("member", "member"),
        ),
    ),
    references=(
        ("Model ensembling", "https://docs.pytorch.org/tutorials/intermediate/ensembling.html"),
        (
            "torch.func.stack_module_state",
            "https://docs.pytorch.org/docs/stable/generated/torch.func.stack_module_state.html",
        ),
    ),
    after="The same weight plays a different role in each member, so their gradients hardly "
    "agree. This is why averaging the predictions of the members helps and averaging their "
    "weights does not.",
    find_problem=without_vmap,
    constants=lambda _drawing, _part: {"MEMBERS": 8},
    cost=lambda _drawing, _part: Cost(passes=40, copies=30, batches=9),
)
