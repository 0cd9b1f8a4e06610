"""A checkpoint, by hand."""

from core.cards.card import Card, Cost, Number, Picture

CARD = Card(
    name="checkpoint-by-hand",
    topic="Training, by hand",
    title="A checkpoint, by hand",
    why="To go on where it stopped a training needs more than weights: the optimiser remembers "
    "gradients, and the epoch says where in the data it is.",
    asks="By how much does a training that went on from a checkpoint differ from one that was "
    "never stopped?",
    numbers=(
        Number("difference", "Resumed differs from never stopped by"),
        Number("lost", "Last loss without the optimiser's state, off by"),
        Number("entries", "Entries of the file"),
        Number("size", "Bytes of the file", "bytes"),
    ),
    pictures=(
        Picture(
            "lines",
            "Loss of the batch",
            ("steps", "whole", "resumed", "forgetful"),
            "Three trainings: never stopped, resumed after three steps, and resumed without the"
            " optimiser's state.",
            ("never stopped", "resumed", "without the optimiser"),
            ("step", "loss"),
        ),
    ),
    reads=(
        (
            "Saving and loading a general checkpoint",
            "https://docs.pytorch.org/tutorials/recipes/recipes/saving_and_loading_a_general_checkpoint.html",
        ),
        ("torch.load", "https://docs.pytorch.org/docs/stable/generated/torch.load.html"),
    ),
    after="weights_only=True reads tensors and plain values alone: a file from a stranger can "
    "then run nothing.",
    cost=lambda drawing, part: Cost(passes=64, copies=16, batches=1),
)
