"""A stream read by several workers."""

from core.wings.cards.card import Card, CardPicture, Number
from core.wings.cards.sentence import compared

CARD = Card(
    name="iterable-workers",
    topic="Training, by hand",
    title="A stream read by several workers",
    why="An IterableDataset has no length and no index. Each worker of a DataLoader reads its "
    "own copy, so the workers must divide the samples themselves.",
    question="How many samples come from two workers that do not divide them?",
    numbers=(
        Number("twice", "Samples from two workers"),
        Number("once", "From two that divide them"),
    ),
    pictures=(
        CardPicture(
            "bars",
            "Samples received",
            ("labels", "counts", "distinct"),
            "All samples, and how many of them are different.",
            ("came", "different"),
        ),
    ),
    references=(
        (
            "IterableDataset",
            "https://docs.pytorch.org/docs/stable/data.html#torch.utils.data.IterableDataset",
        ),
        (
            "get_worker_info",
            "https://docs.pytorch.org/docs/stable/data.html#torch.utils.data.get_worker_info",
        ),
    ),
    findings=compared(
        ("twice", "once"),
        lambda values: values["twice"] == 2 * values["once"],
        "Each sample comes twice unless the workers divide them.",
        "",
    ),
    after="get_worker_info() gives the number of the worker; islice with a step of num_workers "
    "divides the samples.",
)
