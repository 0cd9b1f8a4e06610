"""Gradients of several processes, averaged in a ring."""

from core.wings.cards.card import Card, CardPicture, Cost, Number
from core.wings.cards.sentence import compared
from core.wings.cards.weights.limits import without_weights

CARD = Card(
    name="ring-all-reduce",
    topic="Several processes",
    title="Averaging gradients in a ring",
    why="Each rank (process) has the gradient of its own samples. In a ring each sends one part to "
    "its neighbour at a time, until all have the sum of all parts.",
    question="Four ranks add up the gradients of this network in a ring. How many bytes does each "
    "of them send?",
    numbers=(
        Number("each", "Sent by each rank of the ring", "bytes"),
        Number("server", "Sent by a parameter server", "bytes"),
        Number("steps", "Steps of the ring"),
        Number("wrong", "Numbers that differ from the sum on any rank"),
        Number("apart", "Largest difference between their mean and the gradient of the batch"),
    ),
    pictures=(
        CardPicture(
            "table",
            "The ring, message by message",
            ("rows",),
            "First each part is added up along the ring; then the finished parts go round once "
            "more and replace the unfinished ones.",
            ("step", "from", "to", "part", "what the receiver does", "bytes"),
        ),
        CardPicture(
            "lines",
            "The busiest process, by the number of ranks",
            ("ranks", "in_ring", "at_server"),
            "Megabytes that the busiest process sends: any rank of a ring, or the server, which "
            "sends every sum to every rank.",
            ("ring", "parameter server"),
            ("ranks", "MB"),
        ),
    ),
    references=(
        (
            "DistributedDataParallel",
            "https://docs.pytorch.org/docs/stable/notes/ddp.html",
        ),
        (
            "Patarasuk and Yuan (2009)",
            "https://doi.org/10.1016/j.jpdc.2008.09.002",
        ),
        ("Li et al. (2020)", "https://arxiv.org/abs/2006.15704"),
    ),
    findings=(
        *compared(
            ("wrong", "gradients"),
            lambda values: values["wrong"] == 0,
            "All ranks end with the sum of all {gradients} gradients, to the bit: they are added "
            "as whole numbers of 2 ** -32 here, for which no order of adding matters.",
            "{wrong} numbers differ from the sum of all.",
        ),
        *compared(
            ("each", "server"),
            lambda values: values["each"] < values["server"],
            "A parameter server sends {server} bytes for that, each rank of the ring {each}.",
            "A parameter server sends no more than a rank of the ring here.",
        ),
    ),
    after="However many ranks there are, each sends less than twice the size of all gradients. "
    "Floating-point sums depend on the order, so other numbers of ranks round differently.",
    find_problem=without_weights,
    cost=lambda _drawing, _part: Cost(passes=6, copies=20, batches=1),
)
