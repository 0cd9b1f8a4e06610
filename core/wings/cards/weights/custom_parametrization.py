"""A parametrization of one's own."""

from core.wings.cards.card import Card, CardPicture, Cost, Number
from core.wings.cards.sentence import Sentence, compared
from core.wings.cards.weights.limits import plain_weights

CARD = Card(
    name="custom-parametrization",
    topic="Weights",
    title="A parametrization of your own",
    why="A parametrization is a module between what is trained and what the layer uses: here it "
    "divides each row of a weight by its length, on every read.",
    question="The network runs five times. How often is the weight calculated, without a cache?",
    numbers=(
        Number("read", "Times that it is calculated"),
        Number("kept", "With parametrize.cached()"),
        Number("removed", "After it is removed"),
        Number("along", "Largest part of the gradient along a row"),
        Number("difference", "Largest difference of the outputs by removing it"),
    ),
    pictures=(
        CardPicture(
            "bars",
            "How often the weight is calculated",
            ("names", "counts"),
            "In five forward passes of the network.",
        ),
        CardPicture(
            "table",
            "What is trained and saved",
            ("rows",),
            "Names in the state_dict of the network.",
            ("weight", "name in the state_dict"),
        ),
    ),
    references=(
        (
            "Parametrizations tutorial",
            "https://docs.pytorch.org/tutorials/intermediate/parametrizations.html",
        ),
        ("Salimans and Kingma (2016)", "https://arxiv.org/abs/1602.07868"),
    ),
    findings=(
        Sentence(
            "Each row that the layer uses is {shortest} to {longest} long.",
            ("shortest", "longest"),
            lambda values: values["longest"] > 0,
        ),
        *compared(
            ("read", "kept"),
            lambda values: values["kept"] < values["read"],
            "Times calculated: {read} without the cache, {kept} with it; it is emptied when the "
            "with block ends.",
            "The cache saves nothing here: {read} times either way.",
        ),
        *compared(
            ("along",),
            lambda values: values["along"] < 1e-4,
            "The gradient has no part along a row: its length does not matter to the network.",
            "The gradient has a part of {along} along a row, by rounding.",
        ),
        *compared(
            ("difference",),
            lambda values: values["difference"] == 0,
            "Removed, the layer keeps the calculated weight, and the outputs are the same.",
            "Removed, the layer keeps the calculated weight; the outputs differ by {difference}.",
        ),
    ),
    after="right_inverse returns what is trained for a weight that is assigned. The cache pays "
    "where a weight is read several times, as in a recurrent network in Python.",
    parts=plain_weights,
    without_part="It needs a block with a weight of two or more dimensions of its own, and there "
    "is none.",
    targets=False,
    cost=lambda _drawing, _part: Cost(passes=24, copies=4),
)
