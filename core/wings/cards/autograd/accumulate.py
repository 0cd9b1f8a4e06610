"""Accumulated gradients."""

from core.wings.cards.card import Card, CardPicture, Cost, Number
from core.wings.cards.sentence import compared

CARD = Card(
    name="accumulate",
    topic="Autograd",
    title="Gradients add up",
    why="backward() adds to .grad rather than replacing it, a mistake if you forget it, and a "
    "way to use large batches if you intend it.",
    question="backward() is called twice on the same batch, with no zero_grad() between. How "
    "many times "
    "as long is the gradient then?",
    numbers=(
        Number("ratio", "Two calls by one", "times"),
        Number("difference", "Two halves differ from the whole batch by"),
    ),
    pictures=(
        CardPicture(
            "bars",
            "Length of the gradient",
            ("ways", "lengths"),
            "The gradient of all weights after one call, after two, after zero_grad(), and of "
            "two half batches.",
        ),
    ),
    references=(
        (
            "Optimizer.zero_grad",
            "https://docs.pytorch.org/docs/stable/generated/torch.optim.Optimizer.zero_grad.html",
        ),
        ("Gradient accumulation", "https://docs.pytorch.org/docs/stable/notes/amp_examples.html"),
    ),
    findings=compared(
        ("difference", "once"),
        lambda values: values["difference"] <= 1e-3 * values["once"] + 1e-9,
        "Two half batches, each with half of its loss, give the step of the whole batch with half "
        "of the memory.",
        "Two half batches do not give the step of the whole batch here: a layer mixes samples, "
        "the halves are of unlike size, or the loss is not a plain mean over samples.",
    ),
    cost=lambda _drawing, _part: Cost(passes=9, copies=4),
)
