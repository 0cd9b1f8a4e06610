"""The gradient of each sample."""

from core.cards.card import Card, CardPicture, Cost, Number
from core.cards.derivatives.limits import without_vmap

CARD = Card(
    name="per-sample-gradients",
    topic="Derivatives",
    title="The gradient of each sample",
    why="A step follows the mean of the samples' gradients; vmap over grad computes them one by "
    "one: some are much larger than others.",
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
    after="If a loss is a mean over samples, so is its gradient, up to rounding. Samples with "
    "large gradients are often those the network gets wrong, or those with a wrong label.",
    find_problem=without_vmap,
    cost=lambda drawing, part: Cost(passes=6, copies=18, batches=3),
)
