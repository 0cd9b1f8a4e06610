"""The graph of torch.export."""

from core.wings.cards.card import Card, CardPicture, Number
from core.wings.cards.sentence import compared

CARD = Card(
    name="export-graph",
    topic="Graphs and compilers",
    title="The graph of torch.export",
    why="torch.export records a network as ATen operations without Python: the form that other "
    "programs and devices use.",
    question="How many ATen operations does this network become?",
    numbers=(
        Number("operations", "ATen operations"),
        Number("weights", "Weights, which are inputs of the graph"),
        Number("difference", "Difference between the exported network and the drawn one"),
    ),
    pictures=(
        CardPicture(
            "table",
            "Every operation, with its block",
            ("rows",),
            "In the order of execution, with the shape of its result.",
            ("operation", "block", "shape"),
        ),
        CardPicture(
            "bars",
            "Operations of each block",
            ("blocks", "counts"),
            "A block with no name is the network itself: functions in its forward.",
        ),
    ),
    references=(
        ("torch.export", "https://docs.pytorch.org/docs/stable/export.html"),
        (
            "torch.export tutorial",
            "https://docs.pytorch.org/tutorials/intermediate/torch_export_tutorial.html",
        ),
    ),
    findings=compared(
        ("difference",),
        lambda values: values["difference"] <= 1e-4,
        "",
        "The exported network differs from the drawn one by more than rounding.",
    ),
    after="A Linear is one operation; attention and normalisation may be several. The weights "
    "are inputs of the graph, so it works with any weights.",
    targets=False,
)
