"""Initial weights."""

from collections.abc import Callable
from math import inf, isfinite

from blocks import has
from core.wings.cards.card import Card, CardPicture, Cost, Number
from core.wings.cards.drawing import Drawing
from core.wings.cards.sentence import Sentence, Values

VANISHED = 10.0
"""A fall from which the values count as vanishing: a tenth of the first layer's is left."""


def _unsuited(drawing: Drawing) -> str:
    """Why the drawing is not deep enough, or its weights cannot be set; "" if they can."""
    found = [each for each in drawing.parts.values() if has(each.block, "dense", "convolves")]
    if len(found) < 2:
        return f"It needs two Linear or convolution blocks, and this drawing has {len(found)}."
    if computed := next((each for each in found if each.settings.get("parametrize")), None):
        how = computed.settings["parametrize"]
        return f"It sets weights, and that of {computed.path} is computed from others ({how})."
    return ""


def _sentence(text: str, holds: Callable[[Values], bool]) -> Sentence:
    return Sentence(text, ("ratio", "bare", "norms"), holds)


SHRUNK = (
    _sentence(
        "A layer in between gives a standard deviation of 0, so nothing is left to compare.",
        lambda values: not isfinite(values["ratio"]),
    ),
    _sentence(
        "With weights of 0.01 the values vanish on the way, although the network has "
        "normalisation layers ({norms}).",
        lambda values: values["norms"] > 0 and VANISHED <= values["ratio"] < inf,
    ),
    _sentence(
        "With weights of 0.01 the values vanish on the way.",
        lambda values: values["norms"] == 0 and VANISHED <= values["ratio"] < inf,
    ),
    _sentence(
        "Normalisation hides most of the effect of weights of 0.01: where its layers ({norms}) "
        "pass values on as they are, the factor is {bare}.",
        lambda values: values["ratio"] < VANISHED <= values["bare"],
    ),
    _sentence(
        "Weights of 0.01 make values little smaller here.",
        lambda values: values["ratio"] < VANISHED and not values["bare"] >= VANISHED,
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
    find_problem=_unsuited,
    targets=False,
    cost=lambda _drawing, _part: Cost(passes=6, copies=3),
)
