"""The network as a function of its weights."""

from core.wings.cards.card import Card, CardPicture, Cost, Number
from core.wings.cards.sentence import compared

CARD = Card(
    name="functional-call",
    topic="Derivatives",
    title="The network as a function of its weights",
    why="functional_call runs a network with other weights and leaves its own unchanged; "
    "torch.func differentiates such functions.",
    question="What is the loss of this network when all its weights are 0?",
    numbers=(
        Number("at_zero", "Loss with all weights 0"),
        Number("at_one", "Loss with its own weights"),
        Number("difference", "Difference of the loss when its own weights are passed"),
        Number("changed", "Largest change of the network's own weights"),
    ),
    pictures=(
        CardPicture(
            "lines",
            "The loss with all weights scaled from 0 to 2",
            ("scales", "losses"),
            "All weights times a factor: 0 removes them, 1 keeps them, 2 doubles them.",
            axes=("weights times", "loss"),
        ),
    ),
    references=(
        (
            "torch.func.functional_call",
            "https://docs.pytorch.org/docs/stable/generated/torch.func.functional_call.html",
        ),
        (
            "Model ensembling",
            "https://docs.pytorch.org/tutorials/intermediate/ensembling.html",
        ),
    ),
    findings=(
        *compared(
            ("at_zero", "even"),
            lambda values: abs(values["at_zero"] - values["even"]) <= 1e-3,
            "With all weights 0, every class gets the same score, so cross entropy is the "
            "logarithm of the number of classes.",
            "With all weights 0, the output no longer depends on what blocks with weights read.",
        ),
        *compared(
            ("at_zero", "at_one"),
            lambda values: values["at_one"] < 0.9 * values["at_zero"],
            "Its own weights are better than none: the loss is {at_one}, without them {at_zero}.",
            "Its own weights are hardly better than none, or worse, as in a network that has not "
            "been trained.",
        ),  # initial weights move the loss by a few per cent
    ),
    cost=lambda _drawing, _part: Cost(passes=26, copies=4, batches=0.5),
)
