"""Learning from the inside of a teacher."""

from core.wings.cards.autograd.limits import inner_tensor
from core.wings.cards.card import Card, CardPicture, Cost, Number
from core.wings.cards.sentence import compared

CARD = Card(
    name="distillation",
    topic="Weights",
    title="Distillation: features, cosine, attention",
    why="A small student learns from the labels and from the outputs of a block of the teacher, "
    "this network: their numbers, their direction, or where in a picture they are large.",
    question="A student learns with the cosine loss added. How many percent are left of the "
    "cosine loss that a student of the labels alone ends with?",
    numbers=(
        Number("share", "Cosine loss left, of that by labels alone", "%"),
        Number("lowest", "Ways whose student has the lowest value of their own loss"),
        Number("count", "Ways compared"),
        Number("small", "Weights of the student"),
    ),
    pictures=(
        CardPicture(
            "table",
            "What each way changes",
            ("rows",),
            "A row for each student, all from the same start; the columns are the loss of the "
            "labels and the three distances to the teacher after the last step.",
            ("learned from labels and", "labels", "features", "cosine", "attention"),
        ),
    ),
    references=(
        (
            "Knowledge distillation tutorial",
            "https://docs.pytorch.org/tutorials/beginner/knowledge_distillation_tutorial.html",
        ),
        ("Romero et al. (2015)", "https://arxiv.org/abs/1412.6550"),
        ("Zagoruyko and Komodakis (2017)", "https://arxiv.org/abs/1612.03928"),
    ),
    findings=(
        *compared(
            ("lowest", "count"),
            lambda values: values["lowest"] == values["count"],
            "Each way ends with the lowest value of its own loss.",
            "{lowest} of {count} ways end with the lowest value of their own loss.",
        ),
        *compared(
            ("share",),
            lambda values: values["share"] < 100,
            "The cosine loss falls to {share} % of what labels alone leave.",
            "The cosine loss does not fall here: {share} % of what labels alone leave.",
        ),
    ),
    after="The student has one layer before its last one, and the teacher's outputs are averaged "
    "to its width. Attention needs pictures at both ends. Choose a run: a teacher that has not "
    "learned teaches random features.",
    parts=inner_tensor,
    without_part="It needs two blocks with weights, and this drawing has fewer.",
    cost=lambda _drawing, _part: Cost(passes=24, copies=4),
)
