"""Two halves of a batch at the same time."""

from core.cards.card import Card, Cost, Number, Picture

CARD = Card(
    name="fork-wait",
    topic="Own operators and control flow",
    title="Two halves of a batch at the same time",
    why="torch.jit.fork begins a call and goes on without its answer, torch.jit.wait asks for it; "
    "in a TorchScript graph both stand, and threads share the work.",
    asks="How many times as fast are two halves of a batch forked as one after the other?",
    numbers=(
        Number("gain", "One after the other, by forked", "times", measured=True),
        Number("forks", "Forks in the graph"),
        Number("waits", "Waits in the graph"),
        Number("difference", "Answers differ from those of the whole batch by"),
    ),
    pictures=(
        Picture(
            "bars",
            "Time of both halves",
            ("names", "times"),
            "Milliseconds, the fastest of twelve calls, with one thread for each call.",
        ),
        Picture(
            "table",
            "The graph of TorchScript",
            ("rows",),
            "prim::fork begins the network on the first half; forward runs it on the second.",
            ("operation", "line"),
        ),
    ),
    reads=(
        (
            "torch.jit.fork",
            "https://docs.pytorch.org/docs/stable/generated/torch.jit.fork.html",
        ),
        (
            "CPU threading",
            "https://docs.pytorch.org/docs/stable/notes/cpu_threading_torchscript_inference.html",
        ),
    ),
    after="PyTorch has deprecated TorchScript: graphs of torch.export have no fork. There, threads "
    "inside of each operation share the work, or processes share the batches. A small network "
    "gains nothing: beginning a thread takes as long as it.",
    targets=False,
    cost=lambda _drawing, _part: Cost(passes=32, copies=4, batches=2),
)
