"""A stream read by several workers."""

from core.cards.card import Card, Number, Picture

CARD = Card(
    name="iterable-workers",
    topic="Training, by hand",
    title="A stream read by several workers",
    why="An IterableDataset has no length and no index; each worker of a DataLoader runs "
    "through its own copy, so they must share the samples out themselves.",
    asks="How many samples come from two workers that do not share them out?",
    numbers=(
        Number("twice", "Samples from two workers"),
        Number("once", "From two that share them out"),
    ),
    pictures=(
        Picture(
            "bars",
            "Samples that came",
            ("labels", "counts", "distinct"),
            "All of them, and how many are different.",
            ("came", "different"),
        ),
    ),
    reads=(
        (
            "IterableDataset",
            "https://docs.pytorch.org/docs/stable/data.html#torch.utils.data.IterableDataset",
        ),
        (
            "get_worker_info",
            "https://docs.pytorch.org/docs/stable/data.html#torch.utils.data.get_worker_info",
        ),
    ),
    after="get_worker_info() says which worker one is; islice or a step of num_workers shares out.",
)
