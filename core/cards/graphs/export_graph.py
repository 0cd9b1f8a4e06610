"""The graph that torch.export keeps."""

from core.cards.card import Card, Number, Picture

CARD = Card(
    name="export-graph",
    topic="Graphs and compilers",
    title="The graph that torch.export keeps",
    why="torch.export writes a network down as ATen operations with no Python left, which is "
    "what other programs and devices take.",
    asks="How many ATen operations are left of this network?",
    numbers=(
        Number("operations", "ATen operations"),
        Number("weights", "Weights, which are inputs of the graph"),
        Number("difference", "Exported network differs from the drawn one by"),
    ),
    pictures=(
        Picture(
            "table",
            "Every operation, with the block it is of",
            ("rows",),
            "In the order of execution, with the shape of its result.",
            ("operation", "block", "shape"),
        ),
        Picture(
            "bars",
            "Operations of each block",
            ("blocks", "counts"),
            "A block with no name is the network itself: functions in its forward.",
        ),
    ),
    reads=(
        ("torch.export", "https://docs.pytorch.org/docs/stable/export.html"),
        (
            "torch.export tutorial",
            "https://docs.pytorch.org/tutorials/intermediate/torch_export_tutorial.html",
        ),
    ),
    after="A Linear is one operation; attention and normalisations may be several. The weights "
    "are inputs, so that the same graph serves any.",
    targets=False,
)
