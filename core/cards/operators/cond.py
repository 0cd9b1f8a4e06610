"""Two ways of which values decide."""

from core.cards.card import Card, Cost, Number, Picture

CARD = Card(
    name="cond",
    topic="Own operators and control flow",
    title="Two ways of which values decide",
    why="A trace writes down the way that its example took, and forgets that there was an if; "
    "torch.cond stands in the graph with both ways in it.",
    asks="A network ends in an if on its own answer, and two batches take one way each. For how "
    "many of the two is its trace right?",
    numbers=(
        Number("traced", "Batches that the traced if answers rightly"),
        Number("kept", "Batches that the exported torch.cond answers rightly"),
        Number("branches", "Ways in the exported graph"),
    ),
    pictures=(
        Picture(
            "table",
            "Which ways are kept",
            ("rows",),
            "Each written down with the first batch, then asked about both.",
            ("written", "answers", "why"),
        ),
        Picture(
            "table",
            "Both ways, as the exported graph holds them",
            ("ways",),
            "A graph of its own for each; the value decides when the network runs.",
            ("way", "operation"),
        ),
    ),
    reads=(
        ("torch.cond", "https://docs.pytorch.org/docs/stable/higher_order_ops/cond.html"),
        (
            "Working with graph breaks",
            "https://docs.pytorch.org/docs/stable/compile/programming_model.graph_breaks_index.html",
        ),
    ),
    after="Both ways must give the same shapes and types. Where both are cheap, torch.where "
    "calculates both and picks for each number. torch.jit.script keeps an if, too, but PyTorch "
    "has deprecated torch.jit, from whose trace the first number is.",
    targets=False,
    cost=lambda _drawing, _part: Cost(passes=16, copies=4, batches=2),
)
