"""Samplers of a DataLoader."""

from core.wings.cards.card import Card, CardPicture, Number

CARD = Card(
    name="samplers",
    topic="Training, by hand",
    title="Samplers",
    why="A sampler chooses the samples of an epoch: in their stored order, each once in random "
    "order, or drawn with weights, so that a rare class comes as often as a common one.",
    question="10 of 100 samples are of the rare class. How many of them are in a balanced epoch of "
    "100?",
    numbers=(
        Number("drawn", "Rare samples in a balanced epoch"),
        Number("usual", "In a shuffled epoch"),
        Number("steps", "Steps with batches of 32"),
        Number("fewer", "With drop_last"),
    ),
    pictures=(
        CardPicture(
            "bars",
            "An epoch of 100 samples",
            ("labels", "rare", "distinct"),
            "Samples of the rare class, and the number of different samples.",
            ("of the rare class", "different"),
        ),
    ),
    references=(
        (
            "WeightedRandomSampler",
            "https://docs.pytorch.org/docs/stable/data.html#torch.utils.data.WeightedRandomSampler",
        ),
    ),
    after="A balanced sampler draws with replacement: rare samples come several times, and some "
    "common ones never. The training settings sampler and drop_last do this.",
    drawn=False,
    targets=False,
)
