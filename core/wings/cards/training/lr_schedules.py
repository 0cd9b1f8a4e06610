"""Learning rate schedules."""

from core.wings.cards.card import Card, CardPicture, Number

CARD = Card(
    name="lr-schedules",
    topic="Training, by hand",
    title="Learning rate schedules",
    why="Large steps find the valley, small steps find its bottom: a schedule changes the "
    "learning rate during training.",
    question="What is the learning rate halfway through a cosine schedule from 0.1 to 0?",
    numbers=(
        Number("half", "Cosine schedule, halfway"),
        Number("peak", "Step of the one-cycle peak"),
    ),
    pictures=(
        CardPicture(
            "lines",
            "Learning rate",
            ("steps", "step", "cosine", "cycle", "linear"),
            "A hundred steps of four schedules.",
            ("StepLR", "CosineAnnealingLR", "OneCycleLR", "LinearLR"),
            ("step", "learning rate"),
        ),
    ),
    references=(
        (
            "How to adjust the learning rate",
            "https://docs.pytorch.org/docs/stable/optim.html#how-to-adjust-learning-rate",
        ),
        (
            "OneCycleLR",
            "https://docs.pytorch.org/docs/stable/generated/torch.optim.lr_scheduler.OneCycleLR.html",
        ),
    ),
    after="A schedule can step after each epoch or after each batch. If you mix them up, it ends "
    "too early.",
    drawn=False,
    targets=False,
)
