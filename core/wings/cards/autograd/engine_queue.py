"""The queue of the autograd engine."""

from core.wings.cards.card import Card, CardPicture, Number
from core.wings.cards.sentence import compared
from core.wings.cards.weights.limits import without_weights

CARD = Card(
    name="engine-queue",
    topic="Autograd",
    title="The queue of the backward pass, event by event",
    why="The engine counts how many gradients each node waits for. A node whose count reaches 0 "
    "enters a queue, and the engine takes the node that the forward pass recorded last.",
    question="How many nodes wait in the queue at once, at most?",
    numbers=(
        Number("longest", "Nodes in the queue at once, at most"),
        Number("events", "Events: nodes that ran"),
        Number("weights", "Events that add a gradient to a weight"),
        Number("wrong", "Events out of the order that the rule gives"),
    ),
    pictures=(
        CardPicture(
            "lines",
            "Nodes in the queue",
            ("steps", "lengths"),
            "How many nodes are ready when each event begins.",
            axes=("event", "ready nodes"),
        ),
        CardPicture(
            "table",
            "Events",
            ("rows",),
            "A hook on each node notes when the engine runs it; the first 80 events.",
            ("event", "node", "gradients it waited for", "ready by it", "queue after it"),
        ),
    ),
    references=(
        ("Autograd mechanics", "https://docs.pytorch.org/docs/stable/notes/autograd.html"),
        (
            "The engine in C++",
            "https://github.com/pytorch/pytorch/blob/main/torch/csrc/autograd/engine.cpp",
        ),
    ),
    findings=(
        *compared(
            ("events", "wrong"),
            lambda values: values["wrong"] == 0,
            "All {events} events follow the rule: of the ready nodes the one recorded last runs, "
            "and AccumulateGrad before all others.",
            "{wrong} of {events} events do not follow the rule that the node recorded last runs.",
        ),
        *compared(
            ("gathered", "at"),
            lambda values: values["gathered"] > 1,
            "{at} waits for {gathered} gradients and adds them up before it runs: its value was "
            "used as often.",
            "No node waits for more than one gradient: every value is used once.",
        ),
    ),
    find_problem=without_weights,
)
