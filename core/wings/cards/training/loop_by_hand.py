"""The training loop, by hand."""

from math import inf

from core.wings.cards.card import Card, CardPicture, Cost, Number
from core.wings.cards.sentence import ladder

CARD = Card(
    name="loop-by-hand",
    topic="Training, by hand",
    title="The training loop, by hand",
    why="A trainer comes down to five lines: clear the old gradients, forward, loss, backward, "
    "step.",
    question="What fraction of the loss is left after these steps on one batch?",
    numbers=(
        Number("share", "Fraction of the loss left"),
        Number("first", "Loss before"),
        Number("last", "Loss after"),
    ),
    pictures=(
        CardPicture(
            "lines",
            "Loss of the batch",
            ("steps", "curve"),
            "The same batch again and again: a network that cannot learn even this has a fault.",
            axes=("step", "loss"),
        ),
    ),
    references=(
        (
            "Training with PyTorch",
            "https://docs.pytorch.org/tutorials/beginner/introyt/trainingyt.html",
        ),
        (
            "Optimizing model parameters",
            "https://docs.pytorch.org/tutorials/beginner/basics/optimization_tutorial.html",
        ),
    ),
    findings=ladder(
        "gain",
        (-0.01, "The loss rises at a learning rate of 0.05: try a smaller one."),
        (
            0.01,
            "The loss hardly moves in these steps: look for dead ReLUs, frozen weights or a "
            "learning rate far too small.",
        ),
        (0.5, "The loss falls, slowly: more steps or a higher learning rate would take it on."),
        (inf, "The network learns this batch."),
        undefined="The loss is not finite: look whether the inputs are, and try a smaller learning "
        "rate than 0.05.",
    ),
    after="A real training uses another batch at each step and is validated on data it does not "
    "learn from.",
    constants=lambda drawing, part: {"STEPS": 20, "RATE": 0.05},
    cost=lambda drawing, part: Cost(passes=64, copies=4, batches=1),
)
