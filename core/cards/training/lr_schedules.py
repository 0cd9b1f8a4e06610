"""Schedules of the learning rate."""

from core.cards.card import Card, Number, Picture

CARD = Card(
    name="lr-schedules",
    topic="Training, by hand",
    title="Schedules of the learning rate",
    why="Large steps find the valley, small ones its bottom: a schedule changes the learning "
    "rate from step to step.",
    asks="Where is a cosine from 0.1 to 0 after half of its steps?",
    numbers=(
        Number("half", "Cosine, halfway"),
        Number("peak", "Step where one cycle is highest"),
    ),
    pictures=(
        Picture(
            "lines",
            "Learning rate",
            ("steps", "step", "cosine", "cycle", "linear"),
            "A hundred steps by four schedules.",
            ("StepLR", "CosineAnnealingLR", "OneCycleLR", "LinearLR"),
            ("step", "learning rate"),
        ),
    ),
    reads=(
        (
            "How to adjust the learning rate",
            "https://docs.pytorch.org/docs/stable/optim.html#how-to-adjust-learning-rate",
        ),
        (
            "OneCycleLR",
            "https://docs.pytorch.org/docs/stable/generated/torch.optim.lr_scheduler.OneCycleLR.html",
        ),
    ),
    after="A schedule may step after each epoch or after each batch: say which, or it is over "
    "too soon.",
    targets=False,
)
