"""Two branches chosen by values."""

from math import inf

from core.wings.cards.card import Card, CardPicture, Cost, Number
from core.wings.cards.sentence import ladder

CARD = Card(
    name="cond",
    topic="Custom operators and control flow",
    title="Two branches chosen by values",
    why="A trace records only the branch that its example took; torch.cond keeps both branches "
    "in the graph.",
    question="A network ends with an if on its own output, and two batches take one branch "
    "each. For how many of the two is its trace correct?",
    numbers=(
        Number("traced", "Batches with a correct result, traced if"),
        Number("kept", "Batches with a correct result, exported torch.cond"),
        Number("branches", "Branches in the exported graph"),
    ),
    pictures=(
        CardPicture(
            "table",
            "Branches that are kept",
            ("rows",),
            "Each recorded with the first batch, then run on both.",
            ("written", "answers", "why"),
        ),
        CardPicture(
            "table",
            "Both branches in the exported graph",
            ("ways",),
            "Each branch is a graph; the value decides when the network runs.",
            ("way", "operation"),
        ),
    ),
    references=(
        ("torch.cond", "https://docs.pytorch.org/docs/stable/higher_order_ops/cond.html"),
        (
            "Working with graph breaks",
            "https://docs.pytorch.org/docs/stable/compile/programming_model.graph_breaks_index.html",
        ),
    ),
    findings=ladder(
        "traced",
        (2, "The trace is wrong where the other branch is needed."),
        (
            inf,
            "The trace is correct for both only because both branches give the same here, as "
            "they do for outputs of 0.",
        ),
    ),
    after="Both branches must return the same shapes and types. If both are cheap, torch.where "
    "computes both and picks one for each number. torch.jit.script also keeps an if, but PyTorch "
    "has deprecated torch.jit (the first number here is from its trace).",
    targets=False,
    cost=lambda _drawing, _part: Cost(passes=16, copies=4, batches=2),
)
