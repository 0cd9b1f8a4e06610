"""Layout, precision and threads."""

from math import inf

from core.wings.cards.card import Card, CardPicture, Cost, Number
from core.wings.cards.sentence import ladder

CARD = Card(
    name="layout-precision-threads",
    topic="Speed on this machine",
    title="Layout, precision and threads",
    why="The speed of a network depends on the memory layout of its numbers, their precision and "
    "the number of threads; what helps most depends on the machine.",
    question="How many times as fast is the best combination as the first?",
    numbers=(
        Number("gain", "First time, divided by the best", "times", measured=True),
        Number("combinations", "Combinations"),
        Number("difference", "Largest difference with bfloat16"),
    ),
    pictures=(
        CardPicture(
            "bars",
            "Time of a forward pass",
            ("labels", "times"),
            "Milliseconds for this batch, the fastest of several passes.",
        ),
        CardPicture(
            "table",
            "All combinations",
            ("rows",),
            "Time in milliseconds, and the largest difference from the outputs in float32.",
            ("layout", "precision", "threads", "ms", "difference"),
        ),
    ),
    references=(
        (
            "Channels last",
            "https://docs.pytorch.org/tutorials/intermediate/memory_format_tutorial.html",
        ),
        (
            "CPU threading",
            "https://docs.pytorch.org/docs/stable/notes/cpu_threading_torchscript_inference.html",
        ),
        ("torch.amp", "https://docs.pytorch.org/docs/stable/amp.html"),
    ),
    findings=ladder(
        "gain",
        (1.1, "No combination is clearly faster than the first here."),
        (inf, "Another combination than the first is faster here: {best}."),
        reads=("best",),
    ),
    after="On a processor without bfloat16 instructions, bfloat16 may be slower. A second thread "
    "may speed up large batches and slow down small ones.",
    targets=False,
    cost=lambda drawing, part: Cost(passes=64, copies=4, batches=2),
)
