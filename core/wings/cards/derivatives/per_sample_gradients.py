"""The gradient of each sample."""

from math import inf

from core.wings.cards.card import Card, CardPicture, Cost, Number
from core.wings.cards.derivatives.limits import without_vmap
from core.wings.cards.sentence import compared, ladder

LARGE = (
    "Samples with large gradients are often those the network gets wrong, or those with a wrong "
    "label."
)

CARD = Card(
    name="per-sample-gradients",
    topic="Derivatives",
    title="The gradient of each sample",
    why="A step follows the mean of the samples' gradients; vmap over grad computes them one by "
    "one.",
    question="How many times as long is the largest gradient of a sample in the batch as the "
    "smallest?",
    numbers=(
        Number("ratio", "Largest gradient, divided by the smallest", "times"),
        Number("difference", "Difference between their mean and the batch's gradient"),
    ),
    pictures=(
        CardPicture(
            "bars",
            "Norm of each sample's gradient",
            ("samples", "pulls"),
            "Length of the gradient of each sample's own loss, the longest first.",
        ),
    ),
    references=(
        (
            "Per-sample gradients",
            "https://docs.pytorch.org/tutorials/intermediate/per_sample_grads.html",
        ),
        ("torch.func.vmap", "https://docs.pytorch.org/docs/stable/generated/torch.func.vmap.html"),
    ),
    findings=(
        *ladder(
            "ratio",
            (1.5, "All samples pull about equally hard."),
            (5.0, f"Some samples pull harder than others. {LARGE}"),
            (inf, f"Some gradients are much larger than others and decide the step. {LARGE}"),
            undefined="No sample has a gradient: the network cannot learn from this batch.",
        ),  # in a batch of 16, one sample of 5 times the length weighs as much as a quarter of it
        *compared(
            ("difference", "longest"),
            lambda values: values["difference"] <= 1e-3 * values["longest"] + 1e-9,
            "The loss is a mean over samples, and so is its gradient, up to rounding.",
            "Here the gradient of the batch is not the mean of its samples' gradients: the loss "
            "is not a plain mean over samples.",
        ),
    ),
    find_problem=without_vmap,
    cost=lambda drawing, part: Cost(passes=6, copies=18, batches=3),
)
