"""Graph breaks of torch.compile."""

from core.wings.cards.card import Card, CardPicture, Number
from core.wings.cards.sentence import compared

CARD = Card(
    name="graph-breaks",
    topic="Graphs and compilers",
    title="Graph breaks of torch.compile",
    why="torch.compile compiles whole graphs. Where Python needs a number first, such as .item() "
    "in a condition, TorchDynamo ends one graph and starts another.",
    question="How many graphs does the network become with .item() after this block?",
    numbers=(
        Number("graphs_broken", "Graphs with .item() after the block"),
        Number("graphs", "Graphs of the network as drawn"),
        Number("breaks", "Breaks"),
    ),
    pictures=(
        CardPicture(
            "table",
            "What TorchDynamo reports",
            ("rows",),
            "The network as drawn, and with a condition on a number after one block.",
            ("network", "graphs", "breaks", "operations"),
        ),
        CardPicture(
            "table",
            "Reason for each break",
            ("reasons",),
            "As TorchDynamo reports it.",
            ("reason",),
        ),
    ),
    references=(
        (
            "Working with graph breaks",
            "https://docs.pytorch.org/docs/stable/compile/programming_model.graph_breaks_index.html",
        ),
        (
            "torch.compiler troubleshooting",
            "https://docs.pytorch.org/docs/stable/torch.compiler_troubleshooting.html",
        ),
    ),
    findings=(
        *compared(
            ("graphs",),
            lambda values: values["graphs"] == 1,
            "As drawn it is one graph: its blocks use torch only.",
            "As drawn it becomes {graphs} graphs already: the table has the reasons.",
        ),
        *compared(
            ("graphs", "graphs_broken"),
            lambda values: values["graphs_broken"] > values["graphs"],
            "",
            "The .item() adds no graph here: nothing is left to compute behind it.",
        ),
    ),
    after="Use a mask or torch.where instead of a condition to keep one graph.",
    parts=lambda drawing: tuple(p.path for p in drawing.parts.values() if p.shape is not None),
    without_part="It needs a block that gives one tensor, and there is none.",
    targets=False,
)
