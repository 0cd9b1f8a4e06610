"""The network as a function of its weights."""

from core.cards.card import Card, Cost, Number, Picture

CARD = Card(
    name="functional-call",
    topic="Derivatives",
    title="The network as a function of its weights",
    why="functional_call runs a network with other weights than its own and leaves it as it is;"
    " every derivative of torch.func is taken of such a function.",
    asks="What is the loss of this network when all its weights are 0?",
    numbers=(
        Number("at_zero", "Loss with all weights 0"),
        Number("at_one", "Loss with its own weights"),
        Number("difference", "Own weights given to it: the loss differs by"),
        Number("changed", "Largest change of the network's own weights"),
    ),
    pictures=(
        Picture(
            "lines",
            "The loss on the way from no weights to twice the weights",
            ("scales", "losses"),
            "All weights times a number: 0 takes them away, 1 leaves them, 2 doubles them.",
            axes=("weights times", "loss"),
        ),
    ),
    reads=(
        (
            "torch.func.functional_call",
            "https://docs.pytorch.org/docs/stable/generated/torch.func.functional_call.html",
        ),
        (
            "Model ensembling",
            "https://docs.pytorch.org/tutorials/intermediate/ensembling.html",
        ),
    ),
    after="Without weights all classes get the same score, so cross entropy is the logarithm of"
    " their number. A network that learned has a lower loss at 1; this one may have just begun.",
    cost=lambda _drawing, _part: Cost(passes=26, copies=4, batches=0.5),
)
