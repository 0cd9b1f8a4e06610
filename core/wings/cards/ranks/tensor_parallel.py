"""A layer in halves on two processes."""

from core.wings.cards.card import Card, CardPicture, Cost, Number
from core.wings.cards.sentence import compared
from core.wings.cards.weights.limits import linears

CARD = Card(
    name="tensor-parallel",
    topic="Several processes",
    title="One layer on two processes: tensor parallel",
    why="A weight too large for one device is divided. By outputs, each process calculates half "
    "of the outputs and they exchange these; by inputs, each calculates a summand of all of them.",
    question="Two processes hold halves of this weight, divided by outputs. How many bytes do "
    "they send for a forward pass of this batch, together?",
    numbers=(
        Number("by_outputs", "Sent, divided by outputs", "bytes"),
        Number("by_inputs", "Sent, divided by inputs", "bytes"),
        Number("half", "Weight that a process uses, at most", "bytes"),
        Number("difference", "Largest difference of the network's outputs from one process"),
    ),
    pictures=(
        CardPicture(
            "table",
            "What each process sends",
            ("rows",),
            "Two processes of this machine run the network with this layer in halves, and "
            "exchange tensors with gloo.",
            ("divided by", "rank", "bytes sent", "outputs differ by"),
        ),
    ),
    references=(
        (
            "Tensor parallel tutorial",
            "https://docs.pytorch.org/tutorials/intermediate/TP_tutorial.html",
        ),
        ("Shoeybi et al. (2019)", "https://arxiv.org/abs/1909.08053"),
    ),
    findings=(
        *compared(
            ("by_outputs", "by_inputs"),
            lambda values: values["by_inputs"] > values["by_outputs"],
            "By inputs {by_inputs} bytes are sent instead of {by_outputs}: a summand is as large "
            "as all outputs.",
            "By inputs {by_inputs} bytes are sent, by outputs {by_outputs}.",
        ),
        *compared(
            ("difference",),
            lambda values: values["difference"] == 0,
            "The outputs of the network are those of one process to the bit.",
            "The outputs of the network differ from those of one process by {difference} at "
            "most, as sums are added in another order.",
        ),
    ),
    after="Divided by outputs and then by inputs, two layers need no message between them, only "
    "one at the end: a Transformer's two Linear blocks are divided so.",
    parts=linears,
    without_part="It needs a Linear block with a weight of its own, and there is none.",
    targets=False,
    cost=lambda _drawing, _part: Cost(passes=12, copies=8, batches=3),
)
