"""Texts of different lengths without padding."""

from core.cards.card import Card, Cost, Number, Picture
from core.cards.speed.limits import without_tokens

CARD = Card(
    name="jagged-texts",
    topic="Speed on this machine",
    title="Texts of different lengths without padding",
    why="A batch of texts is padded to the longest, and the padding is calculated with, too; a "
    "nested tensor keeps each text at its own length.",
    asks="Which share of a padded batch is padding?",
    numbers=(
        Number("waste", "Padding in the padded batch"),
        Number("kept", "Tokens of the texts"),
        Number("difference", "Jagged batch differs from each text alone by"),
    ),
    pictures=(
        Picture(
            "bars",
            "Places that are calculated",
            ("names", "sizes"),
            "Tokens that go through the layers.",
        ),
        Picture(
            "bars",
            "Time",
            ("names", "times"),
            "Milliseconds for an embedding and a layer, the fastest of nine passes.",
        ),
    ),
    reads=(
        ("torch.nested", "https://docs.pytorch.org/docs/stable/nested.html"),
        ("Nested tensors", "https://docs.pytorch.org/tutorials/unstable/nestedtensor.html"),
    ),
    after="Here lengths are drawn at random from 4 on. The more they differ, the more is saved.",
    unfit=without_tokens,
    targets=False,
    cost=lambda drawing, part: Cost(passes=4, copies=2, batches=2),
)
