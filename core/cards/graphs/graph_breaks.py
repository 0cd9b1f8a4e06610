"""Where a compiler must break the graph."""

from core.cards.card import Card, Number, Picture

CARD = Card(
    name="graph-breaks",
    topic="Graphs and compilers",
    title="Where a compiler must break the graph",
    why="torch.compile takes whole graphs: wherever Python must see a number first, such as "
    ".item() in a condition, TorchDynamo ends one graph and begins another.",
    asks="Into how many graphs does the network fall with .item() behind this block?",
    numbers=(
        Number("graphs_broken", "Graphs with .item() behind the block"),
        Number("graphs", "Graphs of the network as drawn"),
        Number("breaks", "Breaks"),
    ),
    pictures=(
        Picture(
            "table",
            "What TorchDynamo finds",
            ("rows",),
            "The network as it is drawn, and with a condition on a number behind one block.",
            ("network", "graphs", "breaks", "operations"),
        ),
        Picture("table", "Why it breaks", ("reasons",), "TorchDynamo's own words.", ("reason",)),
    ),
    reads=(
        (
            "Working with graph breaks",
            "https://docs.pytorch.org/docs/stable/compile/programming_model.graph_breaks_index.html",
        ),
        (
            "torch.compiler troubleshooting",
            "https://docs.pytorch.org/docs/stable/torch.compiler_troubleshooting.html",
        ),
    ),
    after="What Layerloom draws has no breaks: it is made of torch alone. Own Python may have; "
    "a mask or torch.where instead of a condition keeps one graph.",
    parts=lambda drawing: tuple(p.path for p in drawing.parts.values() if p.shape is not None),
    without_part="It needs a block that gives one tensor, and there is none.",
    targets=False,
)
