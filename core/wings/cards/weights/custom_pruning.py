"""A pruning method of one's own."""

from core.wings.cards.card import Card, CardPicture, Cost, Number
from core.wings.cards.sentence import Sentence, compared
from core.wings.cards.weights.limits import with_outputs

CARD = Card(
    name="custom-pruning",
    topic="Weights",
    title="A pruning method of your own",
    why="A subclass of BasePruningMethod calculates a mask from anything: here the outputs of a "
    "layer that vary least over the batch lose their weights, as they tell samples apart least.",
    question="Half of the outputs of this block lose their weights by the method of your own. By "
    "how much do the outputs of the network change (root of the mean square)?",
    numbers=(
        Number("mine", "Change of the outputs by the method of your own"),
        Number("masked", "Outputs that are masked"),
        Number("unpruned", "Loss of the batch before"),
        Number("kept", "Largest difference of the outputs by prune.remove"),
    ),
    pictures=(
        CardPicture(
            "bars",
            "Change of the network's outputs",
            ("names", "changes"),
            "Root of the mean square of the change, by the way of choosing.",
        ),
        CardPicture(
            "table",
            "Three ways to choose",
            ("rows",),
            "Smallest norm and at random are torch's own.",
            ("outputs chosen", "masked", "change", "loss"),
        ),
    ),
    references=(
        (
            "Pruning tutorial",
            "https://docs.pytorch.org/tutorials/intermediate/pruning_tutorial.html",
        ),
        (
            "BasePruningMethod",
            "https://docs.pytorch.org/docs/stable/generated/torch.nn.utils.prune.BasePruningMethod.html",
        ),
    ),
    findings=(
        Sentence(
            "{masked} of {total} outputs are masked.",
            ("masked", "total"),
            lambda values: values["masked"] < values["total"],
        ),
        *compared(
            ("least",),
            lambda values: values["least"] == "least moving",
            "Neither of torch's two ways changes the outputs less than your own here.",
            "Your own is not the mildest way here: {least} changes the outputs less.",
        ),
    ),
    after="A masked output is not 0: its bias is left. prune.remove makes the mask permanent.",
    parts=with_outputs,
    without_part="It needs a Linear or a convolution with a weight of its own, and there is none.",
    cost=lambda _drawing, _part: Cost(passes=8, copies=5),
)
