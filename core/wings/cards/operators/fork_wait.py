"""Two halves of a batch at the same time."""

from core.wings.cards.card import Card, CardPicture, Cost, Number
from core.wings.cards.sentence import faster_or_not

CARD = Card(
    name="fork-wait",
    topic="Custom operators and control flow",
    title="Two halves of a batch at the same time",
    why="torch.jit.fork starts a call without waiting for its result, torch.jit.wait waits for "
    "it; a TorchScript graph keeps both, and threads share the work.",
    question="How many times as fast are the two halves of a batch when forked as when run one "
    "after the other?",
    numbers=(
        Number("gain", "Sequential time, divided by forked time", "times", measured=True),
        Number("forks", "Forks in the graph"),
        Number("waits", "Waits in the graph"),
        Number("difference", "Difference from the outputs of the whole batch"),
    ),
    pictures=(
        CardPicture(
            "bars",
            "Time of both halves",
            ("names", "times"),
            "Milliseconds, the fastest of twelve calls, with one thread for each call.",
        ),
        CardPicture(
            "table",
            "The graph of TorchScript",
            ("rows",),
            "prim::fork starts the network on the first half; forward runs it on the second.",
            ("operation", "line"),
        ),
    ),
    references=(
        (
            "torch.jit.fork",
            "https://docs.pytorch.org/docs/stable/generated/torch.jit.fork.html",
        ),
        (
            "CPU threading",
            "https://docs.pytorch.org/docs/stable/notes/cpu_threading_torchscript_inference.html",
        ),
    ),
    findings=faster_or_not(
        "gain",
        "Forking makes this network faster here.",
        "Forking gains nothing here.",
        "Forking is slower here.",
    ),
    after="Starting a thread takes time, and it needs a second core that is free. PyTorch has "
    "deprecated TorchScript: graphs of torch.export have no fork. There, threads inside each "
    "operation share the work, or processes share the batches.",
    targets=False,
    cost=lambda _drawing, _part: Cost(passes=32, copies=4, batches=2),
)
