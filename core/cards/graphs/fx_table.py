"""The network as a table of calls."""

from core.cards.card import Card, Number, Picture

CARD = Card(
    name="fx-table",
    topic="Graphs and compilers",
    title="The network as a table of calls",
    why="torch.fx runs the forward pass on symbols instead of numbers and writes down every "
    "call, which is what tools that change a network work on.",
    asks="How many nodes does the graph of this network have?",
    numbers=(
        Number("nodes", "Nodes of the graph"),
        Number("modules", "Calls of modules"),
        Number("difference", "Traced network differs from the drawn one by"),
    ),
    pictures=(
        Picture(
            "table",
            "Every node, in the order of execution",
            ("rows",),
            "What is called, under which name, on what.",
            ("op", "name", "target", "arguments"),
        ),
        Picture(
            "bars",
            "What is called",
            ("kinds", "counts"),
            "Modules have weights or settings; functions and methods stand in forward itself.",
        ),
    ),
    reads=(
        ("torch.fx", "https://docs.pytorch.org/docs/stable/fx.html"),
        (
            "Building a convolution and BatchNorm fuser",
            "https://docs.pytorch.org/tutorials/intermediate/fx_conv_bn_fuser.html",
        ),
    ),
    after="Each block is one node or a few; an Input is a placeholder, and the answer is one "
    "more node, the output.",
    targets=False,
)
