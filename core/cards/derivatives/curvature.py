"""The largest curvature of the loss."""

from core.cards.card import Card, Cost, Number, Picture
from core.cards.derivatives.limits import without_second

CARD = Card(
    name="curvature",
    topic="Derivatives",
    title="Curvature and the largest rate",
    why="Where the loss bends most, a large step overshoots; the largest eigenvalue of the Hessian "
    "says from which learning rate on.",
    asks="Above which learning rate is plain gradient descent unstable on this batch?",
    numbers=(
        Number("rate", "Largest stable rate, 2 / eigenvalue"),
        Number("eigenvalue", "Largest eigenvalue of the Hessian"),
    ),
    pictures=(
        Picture(
            "lines",
            "Power iteration",
            ("turns", "estimates"),
            "The estimate of the eigenvalue after each product with the Hessian.",
            ("eigenvalue",),
            ("product", ""),
        ),
    ),
    reads=(
        (
            "Hessian-vector products",
            "https://docs.pytorch.org/tutorials/intermediate/jacobians_hessians.html",
        ),
        ("Cohen et al. (2021): edge of stability", "https://arxiv.org/abs/2103.00065"),
    ),
    after="The Hessian itself has a row for each weight and is never there: a product with "
    "a vector "
    "costs two backward passes. Adam rescales its steps, so that this bound is for plain SGD.",
    unfit=without_second,
    constants=lambda _drawing, _part: {"ITERATIONS": 20},
    cost=lambda _drawing, _part: Cost(passes=180, copies=6, batches=4),
)
