"""Forward mode."""

from core.cards.card import Card, Cost, Number, Picture
from core.cards.derivatives.limits import without_second

CARD = Card(
    name="forward-mode",
    topic="Derivatives",
    title="Forward mode, and differences",
    why="jvp carries a derivative along with the forward pass: one direction, no graph, exact, "
    "where differences lose digits.",
    asks="Differences (f(w + h d) - f(w)) / h: for which exponent of h = 10^? are they closest to "
    "the exact derivative?",
    numbers=(
        Number("best", "Best exponent of h"),
        Number("slope", "Exact derivative in the steepest direction"),
    ),
    pictures=(
        Picture(
            "lines",
            "Error of differences",
            ("exponents", "logs"),
            "Error of the difference for each step, both as powers of ten: too long a step "
            "bends, too short a one rounds.",
            ("error, power of 10",),
            ("exponent of h", ""),
        ),
    ),
    reads=(
        ("torch.func.jvp", "https://docs.pytorch.org/docs/stable/generated/torch.func.jvp.html"),
        (
            "Forward-mode AD",
            "https://docs.pytorch.org/tutorials/intermediate/forward_ad_usage.html",
        ),
    ),
    after="In float32 about 7 digits are there, and half of them is the best that a "
    "difference gets. "
    "Forward mode pays one pass for each direction, backward mode one for each output.",
    unfit=without_second,
    cost=lambda _drawing, _part: Cost(passes=10, copies=12),
)
