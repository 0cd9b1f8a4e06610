"""Gradients of an ensemble."""

from math import inf

from core.wings.cards.card import Card, CardPicture, Cost, Number
from core.wings.cards.derivatives.limits import without_vmap
from core.wings.cards.sentence import ladder

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
    findings=ladder(
        "alike",
        (0.0, "The gradients point against each other: a step that helps one harms another."),
        (0.2, "The gradients hardly agree: the same weight plays another role in each member."),
        (
            0.7,
            "The gradients agree in part: some weights, such as the biases of the outputs, play "
            "the same role in each member, others do not.",
        ),
        (inf, "The gradients mostly agree: at the start all members learn the same first."),
        undefined="A member has no gradient at all, so there is no angle to measure.",
    ),  # a cosine squared is the share of a gradient that another explains: 4 % and 49 % here
    after="An ensemble averages predictions, not weights: after training, the same weight plays "
    "another role in each member.",
    find_problem=without_vmap,
    constants=lambda _drawing, _part: {"MEMBERS": 8},
    cost=lambda _drawing, _part: Cost(passes=40, copies=30, batches=9),
)
