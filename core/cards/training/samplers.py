"""Orders of samples."""

from core.cards.card import Card, Number, Picture

CARD = Card(
    name="samplers",
    topic="Training, by hand",
    title="Orders of samples",
    why="A sampler says which samples make an epoch: as they are kept, each once by chance, or "
    "drawn by weights, so that a rare class comes as often as a common one.",
    asks="Of 100 samples 10 are of the rare class: how many are in a balanced epoch of 100?",
    numbers=(
        Number("drawn", "Rare ones in a balanced epoch"),
        Number("usual", "In a shuffled one"),
        Number("steps", "Steps with batches of 32"),
        Number("fewer", "With drop_last"),
    ),
    pictures=(
        Picture(
            "bars",
            "An epoch of 100 samples",
            ("labels", "rare", "distinct"),
            "Those of the rare class, and how many are different.",
            ("of the rare class", "different"),
        ),
    ),
    reads=(
        (
            "WeightedRandomSampler",
            "https://docs.pytorch.org/docs/stable/data.html#torch.utils.data.WeightedRandomSampler",
        ),
    ),
    after="Balanced draws with replacement: rare samples come several times, and some common ones "
    "never. The settings sampler and drop_last do this in a training.",
    targets=False,
)
