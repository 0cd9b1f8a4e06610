"""Texts of different lengths without padding."""

from core.wings.cards.card import Card, CardPicture, Cost, Number
from core.wings.cards.sentence import compared
from core.wings.cards.speed.limits import without_tokens

CARD = Card(
    name="jagged-texts",
    topic="Speed on this machine",
    title="Texts of different lengths without padding",
    why="A batch of texts is padded to the longest one, and the padding costs time too; a nested "
    "tensor keeps each text at its own length.",
    question="What fraction of a padded batch is padding?",
    numbers=(
        Number("waste", "Padding in the padded batch"),
        Number("kept", "Tokens of the texts"),
        Number("difference", "Difference between the jagged batch and each text alone"),
    ),
    pictures=(
        CardPicture(
            "bars",
            "Positions computed",
            ("names", "sizes"),
            "Tokens that pass through the layers.",
        ),
        CardPicture(
            "bars",
            "Time",
            ("names", "times"),
            "Milliseconds for an embedding and a layer, the fastest of nine passes.",
        ),
    ),
    references=(
        ("torch.nested", "https://docs.pytorch.org/docs/stable/nested.html"),
        ("Nested tensors", "https://docs.pytorch.org/tutorials/unstable/nestedtensor.html"),
    ),
    findings=compared(
        ("waste",),
        lambda values: values["waste"] > 0,
        "The more the lengths differ, the more positions you save.",
        "All texts are of one length here, so there is nothing to save.",
    ),
    after="The lengths here are random, from 4 on.",
    find_problem=without_tokens,
    targets=False,
    cost=lambda drawing, part: Cost(passes=4, copies=2, batches=2),
)
