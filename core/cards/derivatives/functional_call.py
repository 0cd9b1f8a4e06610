"""The network as a function of its weights."""

from core.cards.card import Card, CardPicture, Cost, Number

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
    after="With all weights 0, every class gets the same score, so cross entropy is the "
    "logarithm of the number of classes. A trained network has a lower loss at 1; this one may "
    "be untrained.",
    cost=lambda _drawing, _part: Cost(passes=26, copies=4, batches=0.5),
)
