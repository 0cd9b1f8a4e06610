"""Initial weights."""

from math import inf, isfinite

from blocks import has
from core.cards.card import Card, CardPicture, Cost, Number
from core.cards.drawing import Drawing
from core.cards.sentence import Sentence

VANISHED = 10.0
"""A fall from which the values count as vanishing: a tenth of the first layer's is left."""


def _few_layers(drawing: Drawing) -> str:
    """Why the drawing is not deep enough; "" if it is."""
    parts = drawing.parts.items()
    found = [path for path, part in parts if has(part.block, "dense", "convolves")]
    if len(found) < 2:
        return f"It needs two Linear or convolution blocks, and this drawing has {len(found)}."
    return ""


SHRUNK = (
    Sentence(
        "A layer in between gives a standard deviation of 0, so nothing is left to compare.",
        ("ratio", "norms"),
        lambda values: not isfinite(values["ratio"]),
    ),
    Sentence(
        "With weights of 0.01 the values vanish on the way, although the network has {norms} "
        "normalisation layers: not all layers are followed by one.",
        ("ratio", "norms"),
        lambda values: values["norms"] > 0 and VANISHED <= values["ratio"] < inf,
    ),
    Sentence(
        "With weights of 0.01 the values vanish on the way.",
        ("ratio", "norms"),
        lambda values: values["norms"] == 0 and VANISHED <= values["ratio"] < inf,
    ),
    Sentence(
        "The {norms} normalisation layers hide most of the effect of weights of 0.01: each brings "
        "its values back to a standard deviation near 1.",
        ("ratio", "norms"),
        lambda values: values["norms"] > 0 and values["ratio"] < VANISHED,
    ),
    Sentence(
        "Weights of 0.01 change little in a network as shallow or as wide as this one.",
        ("ratio", "norms"),
        lambda values: values["norms"] == 0 and values["ratio"] < VANISHED,
    ),
)
FLATTEST = (
    Sentence(
        "Of the five, {flattest} changes it least here: by a factor of {least}.",
        ("flattest", "least"),
        lambda values: isfinite(values["least"]),
    ),
)

CARD = Card(
    name="initialisation",
    topic="Weights",
    title="Initial weights in a deep network",
    why="If each layer makes values a little smaller or larger, many layers make them vanish or "
    "explode; initial weights are chosen to keep the standard deviation.",
    question="With all weights from N(0, 0.01), how many times smaller is the standard deviation "
    "after the last layer than after the first?",
    numbers=(
        Number(
            "ratio", "First standard deviation, divided by the last, with weights of 0.01", "times"
        ),
    ),
    pictures=(
        CardPicture(
            "lines",
            "Standard deviation after each layer",
            ("depth", "drawn", "small", "xavier", "kaiming", "orthogonal"),
            "Standard deviation after each layer with weights, as a power of ten, for five "
            "initialisations.",
            ("as drawn", "N(0, 0.01)", "Xavier", "Kaiming", "orthogonal"),
            ("layer", "power of 10"),
        ),
    ),
    references=(
        ("torch.nn.init", "https://docs.pytorch.org/docs/stable/nn.init.html"),
        ("He et al. (2015)", "https://arxiv.org/abs/1502.01852"),
    ),
    findings=(*SHRUNK, *FLATTEST),
    after="A flat line keeps the standard deviation. Kaiming's factor makes up for the half that "
    "ReLU sets to 0; Xavier's suits tanh. Biases start at 0, so that they hide nothing.",
    find_problem=_few_layers,
    targets=False,
    cost=lambda _drawing, _part: Cost(passes=6, copies=3),
)
