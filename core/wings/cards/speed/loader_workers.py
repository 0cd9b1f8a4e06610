"""Workers of a DataLoader."""

from core.wings.cards.card import Card, CardPicture, Number
from core.wings.cards.sentence import faster_or_not

CARD = Card(
    name="loader-workers",
    topic="Speed on this machine",
    title="Workers of a DataLoader",
    why="Workers prepare the next batches in separate processes while the network learns; "
    "starting them costs time too.",
    question="How many times as fast is the best number of workers as no workers?",
    numbers=(
        Number("gain", "Time without workers, divided by the best", "times", measured=True),
        Number("samples", "Samples loaded"),
    ),
    pictures=(
        CardPicture(
            "bars",
            "Time for all samples",
            ("labels", "times"),
            "Milliseconds, including the start of the processes.",
        ),
    ),
    references=(
        ("torch.utils.data", "https://docs.pytorch.org/docs/stable/data.html"),
        (
            "Performance tuning guide",
            "https://docs.pytorch.org/tutorials/recipes/recipes/tuning_guide.html",
        ),
    ),
    findings=faster_or_not(
        "gain",
        "Workers pay off here.",
        "Workers gain nothing here.",
        "Workers make it slower here.",
    ),
    after="Starting workers takes time, and they need free cores and samples that take long to "
    "prepare. Use as many workers as there are free cores where images are decoded and "
    "augmented; data in memory needs none.",
    batch=64,
)
