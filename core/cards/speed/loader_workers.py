"""Workers of a DataLoader."""

from core.cards.card import Card, Number, Picture

CARD = Card(
    name="loader-workers",
    topic="Speed on this machine",
    title="Workers of a DataLoader",
    why="Workers prepare the next batches in processes of their own while the network learns; "
    "starting them costs time, too.",
    asks="How many times as fast is the best number of workers as none?",
    numbers=(
        Number("gain", "No workers, by the best", "times", measured=True),
        Number("samples", "Samples that came"),
    ),
    pictures=(
        Picture(
            "bars",
            "Time for all samples",
            ("labels", "times"),
            "Milliseconds, with the start of the processes.",
        ),
    ),
    reads=(
        ("torch.utils.data", "https://docs.pytorch.org/docs/stable/data.html"),
        (
            "Performance tuning guide",
            "https://docs.pytorch.org/tutorials/recipes/recipes/tuning_guide.html",
        ),
    ),
    after="Data that lies in memory needs none. Decoding and augmenting pictures does, as many "
    "as there are cores to spare.",
    batch=64,
)
