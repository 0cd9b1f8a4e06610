"""The backward pass of a block of the drawing, checked."""

from core.wings.cards.autograd.limits import differentiable
from core.wings.cards.card import Card, CardPicture, Cost, Number
from core.wings.cards.sentence import Sentence, compared, ladder

CARD = Card(
    name="gradcheck-of-a-block",
    topic="Autograd",
    title="gradcheck of your own block",
    why="gradcheck compares the backward pass of a block with finite differences, gradgradcheck "
    "its double backward pass: what to run on every block written in Python.",
    question="Of the two checks, how many does this block pass?",
    numbers=(
        Number("agreed", "Checks passed, of 2"),
        Number("ratio", "Backward pass, divided by the forward pass", "times", measured=True),
    ),
    pictures=(
        CardPicture(
            "table",
            "The two checks",
            ("rows",),
            "In float64, on the inputs that the block receives for two samples, and on its "
            "weights, all moved by 0.001 or so.",
            ("check", "outcome"),
        ),
        CardPicture(
            "bars",
            "Time of each pass",
            ("passes", "best"),
            "Milliseconds for this batch in float64, the fastest of several; the backward pass "
            "also keeps what the double backward pass needs.",
        ),
    ),
    references=(
        ("Gradcheck mechanics", "https://docs.pytorch.org/docs/stable/notes/gradcheck.html"),
        (
            "torch.autograd.gradcheck",
            "https://docs.pytorch.org/docs/stable/generated/torch.autograd.gradcheck.gradcheck.html",
        ),
    ),
    findings=(
        *compared(
            ("first",),
            lambda values: bool(values["first"]),
            "",
            "The gradient of this block is not the slope of what it calculates: look for "
            ".detach(), .data, an operation on whole numbers, or a wrong backward.",
        ),
        *compared(
            ("first", "second"),
            lambda values: bool(values["first"] and not values["second"]),
            "The gradient is right, and its own gradient is not: a loss that contains gradients, "
            "such as a gradient penalty, cannot train this block.",
        ),
        Sentence(
            "Both derivatives are right at this place.",
            ("agreed",),
            lambda values: values["agreed"] == 2,
        ),
        *ladder(
            "ratio",
            (1.0, "Here the backward pass takes less time than the forward pass."),
            (3.0, "Here the backward pass takes {ratio} times as long as the forward pass."),
            (
                float("inf"),
                "Here the backward pass takes {ratio} times as long as the forward "
                "pass: much, for a pass that does about twice the work.",
            ),
        ),
    ),
    after="At a kink, such as a ReLU at exactly 0, finite differences and gradients differ though "
    "nothing is wrong.",
    parts=differentiable,
    without_part="It needs a block that gives one tensor of numbers, and there is none.",
    targets=False,
    cost=lambda _drawing, _part: Cost(passes=120, copies=12, batches=4),
)
