"""Pruning by masks: local, global, in rounds, and permanent."""

from core.wings.cards.card import Card, CardPicture, Cost, Number
from core.wings.cards.sentence import Sentence, compared
from core.wings.cards.weights.limits import without_own_weights

CARD = Card(
    name="pruning-masks",
    topic="Weights",
    title="Pruning: masks on weights",
    why="A mask sets the smallest weights to 0, the same share in each layer (local) or of all "
    "layers together (global); the weights below the mask stay until prune.remove.",
    question="Three rounds each prune half of the weights that are left. How many percent remain?",
    numbers=(
        Number("remaining", "Weights that remain after three rounds", "%"),
        Number("weights", "Weights that masks are put on"),
        Number("difference", "Largest difference of the outputs by prune.remove"),
    ),
    pictures=(
        CardPicture(
            "lines",
            "Loss of this batch",
            ("shares", "by_layer", "whole"),
            "The loss of this batch by the share of weights that are 0.",
            ("local masks", "global masks"),
            ("share pruned", "loss"),
        ),
        CardPicture(
            "table",
            "Local and global masks",
            ("rows",),
            "Loss and right answers for this batch of training samples, where the targets are "
            "classes.",
            ("pruned", "masks", "loss", "right"),
        ),
    ),
    references=(
        (
            "Pruning tutorial",
            "https://docs.pytorch.org/tutorials/intermediate/pruning_tutorial.html",
        ),
        (
            "torch.nn.utils.prune",
            "https://docs.pytorch.org/docs/stable/nn.html#module-torch.nn.utils.prune",
        ),
        ("Frankle and Carbin (2019)", "https://arxiv.org/abs/1803.03635"),
    ),
    findings=(
        *compared(
            ("at_local", "at_whole"),
            lambda values: values["at_whole"] < values["at_local"],
            "At 80 % the global masks have the lower loss here: {at_whole}, local ones {at_local}.",
            "At 80 % global masks have no lower loss here: {at_whole}, local ones {at_local}.",
        ),
        Sentence(
            "Global masks at 80 % leave {least} % of {emptiest} and {most} % of {fullest}.",
            ("emptiest", "least", "fullest", "most"),
            lambda values: values["least"] < values["most"],
        ),
        Sentence(
            "The state takes {with_masks} bytes with masks, as each weight is there twice, and "
            "{permanent} after prune.remove, as many as before: a 0 takes as much room as another "
            "number.",
            ("with_masks", "permanent"),
            lambda values: values["with_masks"] > values["permanent"],
        ),
    ),
    after="Choose a run to see what pruning costs: initial weights know nothing that masks could "
    "take. Train on after each round to win accuracy back.",
    find_problem=without_own_weights,
    batch=64,
    cost=lambda _drawing, _part: Cost(passes=16, copies=6, batches=1),
)
