"""The gradient of each sample."""

from core.cards.card import Card, Cost, Number, Picture
from core.cards.derivatives.limits import without_vmap

CARD = Card(
    name="per-sample-gradients",
    topic="Derivatives",
    title="The gradient of each sample",
    why="A step follows the mean of the samples' gradients, and vmap over grad gives them one by "
    "one: some pull much harder than others.",
    asks="How many times as hard does the strongest sample of the batch pull as the weakest?",
    numbers=(
        Number("ratio", "Strongest pull by weakest", "times"),
        Number("difference", "Their mean differs from the batch's gradient by"),
    ),
    pictures=(
        Picture(
            "bars",
            "Norm of each sample's gradient",
            ("samples", "pulls"),
            "Length of the gradient of each sample's own loss, the longest first.",
        ),
    ),
    reads=(
        (
            "Per-sample gradients",
            "https://docs.pytorch.org/tutorials/intermediate/per_sample_grads.html",
        ),
        ("torch.func.vmap", "https://docs.pytorch.org/docs/stable/generated/torch.func.vmap.html"),
    ),
    after="Where a loss is a mean over samples, so is its gradient, up to rounding. Samples that "
    "pull hard are often those the network gets wrong, or whose label is.",
    unfit=without_vmap,
    cost=lambda drawing, part: Cost(passes=6, copies=18, batches=3),
)
