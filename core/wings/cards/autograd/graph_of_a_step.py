"""The autograd graph of one step."""

from core.wings.cards.card import Card, CardPicture, Number

CARD = Card(
    name="graph-of-a-step",
    topic="Autograd",
    title="The graph of one step",
    why="The forward pass records a graph for the backward pass. It ends in one AccumulateGrad "
    "node per weight tensor.",
    question="How many AccumulateGrad nodes does the graph of one step have?",
    numbers=(
        Number("accumulators", "AccumulateGrad nodes"),
        Number("nodes", "Total nodes"),
    ),
    pictures=(
        CardPicture(
            "bars",
            "Nodes by kind",
            ("kind_names", "kind_counts"),
            "How often each kind of node occurs in the graph (the twelve most frequent kinds).",
        ),
        CardPicture(
            "table",
            "From the loss back",
            ("rows",),
            "Each node and the nodes it passes gradients to; AccumulateGrad names the weight it "
            "adds to.",
            ("node", "leads to"),
        ),
    ),
    references=(
        (
            "How autograd encodes the history",
            "https://docs.pytorch.org/docs/stable/notes/autograd.html",
        ),
        (
            "Node.next_functions",
            "https://docs.pytorch.org/docs/stable/generated/torch.autograd.graph.Node.next_functions.html",
        ),
    ),
    after="backward() walks this graph once, from the loss to the leaves. AccumulateGrad "
    "is where a "
    "gradient is added to .grad, so there is one for each trainable tensor that is used.",
)
