"""Gradients gathered in buckets, to be sent while the backward pass goes on."""

from core.wings.cards.card import Card, CardPicture, Cost, Number
from core.wings.cards.sentence import compared
from core.wings.cards.weights.limits import without_weights

CARD = Card(
    name="gradient-buckets",
    topic="Several processes",
    title="Gradients in buckets",
    why="DistributedDataParallel gathers gradients in buckets in the order in which they come, and "
    "sends a bucket once it is full, while the backward pass calculates the others.",
    question="A bucket is full with a quarter of the bytes of all gradients. How many buckets does "
    "a step of this network send?",
    numbers=(
        Number("buckets", "Buckets, with a quarter of all bytes as the limit"),
        Number("usual", "Buckets with torch's limits, 1 MiB for the first, then 25 MiB"),
        Number("early", "Bytes that can be sent before the last gradient is there", "%"),
    ),
    pictures=(
        CardPicture(
            "table",
            "Gradients in the order in which they come",
            ("rows",),
            "A hook on each weight notes when its gradient is finished; the bucket it goes to.",
            ("event", "weight", "bytes", "bucket"),
        ),
        CardPicture(
            "bars",
            "Bytes of each bucket",
            ("names", "sizes"),
            "A gradient is never divided, so a large one makes a large bucket.",
        ),
    ),
    references=(
        ("DistributedDataParallel", "https://docs.pytorch.org/docs/stable/notes/ddp.html"),
        ("Li et al. (2020)", "https://arxiv.org/abs/2006.15704"),
    ),
    findings=(
        *compared(
            ("backwards",),
            lambda values: values["backwards"] == "yes",
            "The gradients come in the reverse order of the weights, as torch expects before the "
            "first step.",
            "The gradients do not come in the exact reverse order of the weights, which torch "
            "expects before the first step; after it, torch sorts the buckets by the real order.",
        ),
        *compared(
            ("buckets", "early"),
            lambda values: values["buckets"] > 1,
            "Of all bytes, {early} % can be sent while gradients are still calculated; the last "
            "bucket waits for the last gradient.",
            "All gradients fit into one bucket, which waits for the last of them.",
        ),
        *compared(
            ("usual",),
            lambda values: values["usual"] == 1,
            "With torch's own limits a network of this size sends one bucket.",
            "With torch's own limits it sends {usual} buckets.",
        ),
    ),
    after="Small buckets are sent early but cost a message each; large ones wait longer. "
    "bucket_cap_mb of DistributedDataParallel sets the limit.",
    find_problem=without_weights,
    cost=lambda _drawing, _part: Cost(passes=3, copies=2, batches=1),
)
