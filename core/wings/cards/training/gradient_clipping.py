"""Gradient clipping."""

from core.wings.cards.card import Card, CardPicture, Number
from core.wings.cards.sentence import compared

CARD = Card(
    name="gradient-clipping",
    topic="Training, by hand",
    title="Gradient clipping",
    why="An unusual batch may have a huge gradient; clipping its norm makes the step shorter and "
    "keeps its direction.",
    question="What is the cosine of the angle between the gradient and the clipped gradient?",
    numbers=(
        Number("cosine", "Cosine of the angle"),
        Number("norm", "Norm of the gradient"),
        Number("clipped", "Norm after clipping at a quarter"),
    ),
    pictures=(
        CardPicture(
            "bars",
            "Norm of each weight's gradient",
            ("names", "long", "short"),
            "All shrink by the same factor.",
            ("before", "clipped"),
        ),
    ),
    references=(
        (
            "clip_grad_norm_",
            "https://docs.pytorch.org/docs/stable/generated/torch.nn.utils.clip_grad_norm_.html",
        ),
        ("Pascanu et al. (2013)", "https://arxiv.org/abs/1211.5063"),
    ),
    findings=compared(
        ("norm",),
        lambda values: values["norm"] > 0,
        "",
        "The gradient is 0 here, so it has no direction and nothing to clip.",
    ),
    after="clip_grad_value_ clips each number separately instead, which changes the direction.",
)
