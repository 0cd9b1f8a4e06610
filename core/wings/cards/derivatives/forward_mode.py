"""Forward mode."""

from math import inf

from core.wings.cards.card import Card, CardPicture, Cost, Number
from core.wings.cards.derivatives.limits import without_second
from core.wings.cards.sentence import ladder

CARD = Card(
    name="forward-mode",
    topic="Derivatives",
    title="Forward mode and finite differences",
    why="jvp computes a derivative in one direction during the forward pass: exact and without a "
    "graph, while finite differences lose digits.",
    question="For which exponent of h = 10^? is the finite difference (f(w + h d) - f(w)) / h "
    "closest to the exact derivative?",
    numbers=(
        Number("best", "Best exponent of h"),
        Number("slope", "Exact derivative in the steepest direction"),
    ),
    pictures=(
        CardPicture(
            "lines",
            "Error of finite differences",
            ("exponents", "logs"),
            "Error of the finite difference for each step h, both as powers of ten. Long steps "
            "suffer from curvature, short ones from rounding.",
            ("error, power of 10",),
            ("exponent of h", ""),
        ),
    ),
    references=(
        ("torch.func.jvp", "https://docs.pytorch.org/docs/stable/generated/torch.func.jvp.html"),
        (
            "Forward-mode AD",
            "https://docs.pytorch.org/tutorials/intermediate/forward_ad_usage.html",
        ),
    ),
    findings=ladder(
        "digits",
        (
            1.0,
            "float32 has about 7 digits, and the best finite difference gets not even one right "
            "here.",
        ),
        (
            inf,
            "float32 has about 7 digits, and the best finite difference gets {digits} of "
            "them right here.",
        ),
        undefined="The slope is 0: no weight has a gradient from this batch.",
    ),
    after="Forward mode costs one pass per direction, backward mode one per output.",
    find_problem=without_second,
    cost=lambda _drawing, _part: Cost(passes=10, copies=12),
)
