"""Activation checkpointing: memory for time."""

from core.wings.cards.card import Card, CardPicture, Cost, Number
from core.wings.cards.graphs.limits import untraceable
from core.wings.cards.sentence import Sentence, compared

CARD = Card(
    name="activation-checkpoints",
    topic="Autograd",
    title="Checkpoints: calculate again instead of keeping",
    why="The backward pass needs the outputs of layers. A checkpointed segment keeps its input "
    "only, and is calculated a second time when the backward pass arrives.",
    question="With the number of segments that saves most, how many percent of the bytes are "
    "still kept for the backward pass?",
    numbers=(
        Number("share", "Bytes still kept", "%"),
        Number("plain", "Kept after the forward pass, without checkpoints", "bytes"),
        Number("least", "Kept after the forward pass, with checkpoints", "bytes"),
        Number("again", "Operations that are calculated twice"),
        Number("slower", "Time of a step, as many times as without", "times", measured=True),
        Number("difference", "Largest difference of a gradient"),
    ),
    pictures=(
        CardPicture(
            "lines",
            "Kept for the backward pass",
            ("counts", "kept_mb"),
            "Megabytes kept after the forward pass, by the number of segments; weights and the "
            "batch are there anyway and do not count.",
            axes=("segments", "MB"),
        ),
        CardPicture(
            "table",
            "Each number of segments",
            ("rows",),
            "One segment is the network without checkpoints. The last segment is never "
            "checkpointed, as the backward pass begins there.",
            ("segments", "bytes kept", "calculated twice", "ms"),
        ),
    ),
    references=(
        ("torch.utils.checkpoint", "https://docs.pytorch.org/docs/stable/checkpoint.html"),
        (
            "Hooks for saved tensors",
            "https://docs.pytorch.org/tutorials/intermediate/autograd_saved_tensors_hooks_tutorial.html",
        ),
        ("Chen et al. (2016)", "https://arxiv.org/abs/1604.06174"),
    ),
    findings=(
        *compared(
            ("least", "plain"),
            lambda values: values["least"] < values["plain"],
            "",
            "Checkpoints save nothing here: what the segments begin with is as large as what they "
            "would have kept.",
        ),
        Sentence(
            "{best} segments keep least here, {least} of {plain} bytes, and calculate {again} of "
            "{operations} operations twice.",
            ("best", "least", "plain", "again", "operations"),
            lambda values: values["least"] < values["plain"],
        ),
        *compared(
            ("difference",),
            lambda values: values["difference"] == 0,
            "The gradients are the same to the bit.",
            "The gradients differ by {difference} at most.",
        ),
    ),
    after="While a segment is calculated again, what it would have kept is there again, so the "
    "largest segment comes on top. With n layers of alike size, about the square root of n "
    "segments is best.",
    find_problem=untraceable,
    cost=lambda _drawing, _part: Cost(passes=100, copies=4, batches=2),
)
