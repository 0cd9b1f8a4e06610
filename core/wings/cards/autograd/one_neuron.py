"""One neuron, step by step."""

from core.wings.cards.card import Card, CardPicture, Number
from core.wings.cards.sentence import Sentence
from core.wings.cards.weights.limits import linears

READ = ("live", "unmoved", "silent")

CARD = Card(
    name="one-neuron",
    topic="Autograd",
    title="One neuron, by hand",
    why="A neuron multiplies and adds; the backward pass multiplies the same numbers again: the "
    "chain rule in one line.",
    question="How many weights of one neuron get a gradient of exactly 0 from one sample?",
    numbers=(
        Number("unmoved", "Weights without a gradient"),
        Number("neuron", "Number of the neuron, from 0"),
        Number("z", "The neuron's output z"),
        Number("difference", "Difference between the gradient by hand and torch's"),
    ),
    pictures=(
        CardPicture(
            "table",
            "The eight strongest inputs of the neuron",
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
    findings=(
        Sentence(
            "No neuron of this layer gets a gradient from any sample of the batch: what follows "
            "it lets nothing through, as ReLUs that are 0 for all of them (dead neurons).",
            READ,
            lambda values: values["live"] == 0,
        ),
        Sentence(
            "{silent} of its inputs are 0, and an input of 0 leaves its weight unchanged.",
            READ,
            lambda values: values["live"] > 0 and 0 < values["unmoved"] == values["silent"],
        ),
        Sentence(
            "{silent} of its inputs are 0, which leaves their weights unchanged; the other "
            "gradients of 0 are products too small for float32 or sums that cancel.",
            READ,
            lambda values: values["live"] > 0 and values["unmoved"] > values["silent"],
        ),
        Sentence(
            "None of its inputs is 0, so every weight of it moves.",
            READ,
            lambda values: values["live"] > 0 and values["unmoved"] == 0,
        ),
    ),
    after="The gradient of a weight is its input times the gradient of z. Neuron and sample are "
    "the first that a gradient reaches: behind a ReLU that is 0, all would be 0.",
    parts=linears,
    without_part="It needs a Linear block that holds its own weight (without parametrize), and "
    "this drawing has none.",
)
