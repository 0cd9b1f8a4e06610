"""The largest curvature of the loss."""

from math import inf

from core.wings.cards.card import Card, CardPicture, Cost, Number
from core.wings.cards.derivatives.limits import without_second
from core.wings.cards.sentence import compared, ladder

CARD = Card(
    name="curvature",
    topic="Derivatives",
    title="Curvature and the largest learning rate",
    why="Where the loss curves strongly, a large step overshoots; the largest eigenvalue of the "
    "Hessian gives the learning rate at which this starts.",
    question="Above what learning rate is plain gradient descent unstable on this batch?",
    numbers=(
        Number("rate", "Largest stable learning rate, 2 / eigenvalue"),
        Number("eigenvalue", "Largest eigenvalue of the Hessian"),
    ),
    pictures=(
        CardPicture(
            "lines",
            "Power iteration",
            ("turns", "estimates"),
            "The estimate of the eigenvalue after each product with the Hessian.",
            ("eigenvalue",),
            ("product", ""),
        ),
    ),
    references=(
        (
            "Hessian-vector products",
            "https://docs.pytorch.org/tutorials/intermediate/jacobians_hessians.html",
        ),
        ("Cohen et al. (2021): edge of stability", "https://arxiv.org/abs/2103.00065"),
    ),
    findings=(
        *compared(
            ("eigenvalue",),
            lambda values: values["eigenvalue"] > 0,
            "",
            "No direction curves upwards here, so this sets no limit to the learning rate.",
        ),
        *ladder(
            "moved",
            (0.05, ""),
            (
                inf,
                "The estimate still changes by more than 5 % at the last product: take it as "
                "a rough one.",
            ),
        ),
    ),
    after="The Hessian has a row for each weight, so it is never stored: a product with a vector "
    "costs two backward passes. Adam rescales its steps, so this bound holds for plain SGD only.",
    find_problem=without_second,
    constants=lambda _drawing, _part: {"ITERATIONS": 20},
    cost=lambda _drawing, _part: Cost(passes=180, copies=6, batches=4),
)
