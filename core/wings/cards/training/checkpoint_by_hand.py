"""A checkpoint, by hand."""

from core.wings.cards.card import Card, CardPicture, Cost, Number
from core.wings.cards.sentence import compared

CARD = Card(
    name="checkpoint-by-hand",
    topic="Training, by hand",
    title="A checkpoint, by hand",
    why="To resume, a training needs more than the weights: the optimiser's state holds past "
    "gradients, and the epoch and step locate the next batch.",
    question="By how much does a resumed training differ from one that never stopped?",
    numbers=(
        Number("difference", "Difference between resumed and never stopped"),
        Number("lost", "Error of the last loss without the optimiser's state"),
        Number("entries", "Entries of the file"),
        Number("size", "Size of the file in bytes", "bytes"),
    ),
    pictures=(
        CardPicture(
            "lines",
            "Loss of the batch",
            ("steps", "whole", "resumed", "forgetful"),
            "Three trainings: never stopped, resumed after three steps, and resumed without the"
            " optimiser's state.",
            ("never stopped", "resumed", "without the optimiser"),
            ("step", "loss"),
        ),
    ),
    references=(
        (
            "Saving and loading a general checkpoint",
            "https://docs.pytorch.org/tutorials/recipes/recipes/saving_and_loading_a_general_checkpoint.html",
        ),
        ("torch.load", "https://docs.pytorch.org/docs/stable/generated/torch.load.html"),
    ),
    findings=(
        *compared(
            ("difference",),
            lambda values: values["difference"] == 0,
            "With all that the file holds, the resumed training equals one that never stopped.",
            "The resumed training differs from one that never stopped: something that it uses, "
            "such as random numbers, is not in the file.",
        ),
        *compared(
            ("lost",),
            lambda values: values["lost"] > 0,
            "Without the optimiser's state it goes another way.",
            "Even without the optimiser's state the loss is the same here.",
        ),
    ),
    after="weights_only=True reads only tensors and plain values, so a file from a stranger "
    "cannot run code.",
    cost=lambda drawing, part: Cost(passes=64, copies=16, batches=1),
)
