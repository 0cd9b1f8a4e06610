"""One neuron, step by step."""

from blocks import has
from core.cards.card import Card, CardPicture, Number
from core.cards.drawing import Drawing


def _linear(drawing: Drawing) -> tuple[str, ...]:
    """The Linear blocks of a drawing."""
    return tuple(path for path, part in drawing.parts.items() if has(part.block, "dense"))


CARD = Card(
    name="one-neuron",
    topic="Autograd",
    title="One neuron, by hand",
    why="A neuron multiplies and adds; the backward pass multiplies the same numbers again: the "
    "chain rule in one line.",
    question="How many weights of neuron 0 get a gradient of exactly 0 from one sample?",
    numbers=(
        Number("unmoved", "Weights without a gradient"),
        Number("z", "The neuron's output z"),
        Number("difference", "Difference between the gradient by hand and torch's"),
    ),
    pictures=(
        CardPicture(
            "table",
            "The eight strongest inputs of neuron 0",
            ("rows",),
            "Each input a, its weight w, their product, and the gradient of w: a times the "
            "gradient of z, summed over all positions.",
            ("input", "a", "w", "w * a", "d loss / d w"),
        ),
    ),
    references=(
        (
            "Autograd tutorial",
            "https://docs.pytorch.org/tutorials/beginner/blitz/autograd_tutorial.html",
        ),
        ("Rumelhart et al. (1986)", "https://doi.org/10.1038/323533a0"),
    ),
    after="The gradient of a weight is its input times the gradient of z. An input of 0, and "
    "ReLU makes many, leaves its weight unchanged.",
    parts=_linear,
    without_part="It needs a Linear block, and this drawing has none.",
)
