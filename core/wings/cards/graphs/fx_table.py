"""The network as a table of calls."""

from core.wings.cards.card import Card, CardPicture, Number
from core.wings.cards.graphs.limits import untraceable

CARD = Card(
    name="fx-table",
    topic="Graphs and compilers",
    title="The network as a table of calls",
    why="torch.fx runs the forward pass with symbols instead of numbers and records every call. "
    "Tools that change networks work on this table.",
    question="How many nodes does the graph of this network have?",
    numbers=(
        Number("nodes", "Nodes of the graph"),
        Number("modules", "Calls of modules"),
        Number("difference", "Difference between the traced network and the drawn one"),
    ),
    pictures=(
        CardPicture(
            "table",
            "Every node, in the order of execution",
            ("rows",),
            "The kind of call, its name, its target and its inputs.",
            ("op", "name", "target", "arguments"),
        ),
        CardPicture(
            "bars",
            "Kinds of calls",
            ("kinds", "counts"),
            "Modules have weights or settings; functions and methods are called in forward itself.",
        ),
    ),
    references=(
        ("torch.fx", "https://docs.pytorch.org/docs/stable/fx.html"),
        (
            "Building a convolution and BatchNorm fuser",
            "https://docs.pytorch.org/tutorials/intermediate/fx_conv_bn_fuser.html",
        ),
    ),
    after="Each block becomes one or a few nodes; an Input is a placeholder, and the result is "
    "one more node, the output.",
    find_problem=untraceable,
    targets=False,
)
