"""Layout, precision and threads."""

from core.cards.card import Card, Cost, Number, Picture

CARD = Card(
    name="layout-precision-threads",
    topic="Speed on this machine",
    title="Layout, precision and threads",
    why="How fast a network runs depends on how its numbers lie in memory, how many bits they "
    "have and how many threads share the work; which of them helps is a matter of the "
    "machine.",
    asks="How many times as fast is the best of all combinations as the first?",
    numbers=(
        Number("gain", "First, by the best", "times", measured=True),
        Number("combinations", "Combinations"),
        Number("difference", "Largest difference with bfloat16"),
    ),
    pictures=(
        Picture(
            "bars",
            "Time of a forward pass",
            ("labels", "times"),
            "Milliseconds for this batch, the fastest of several passes.",
        ),
        Picture(
            "table",
            "Each with each",
            ("rows",),
            "Time in milliseconds, and how far the answers lie from those in float32.",
            ("layout", "precision", "threads", "ms", "difference"),
        ),
    ),
    reads=(
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
    after="On a processor without bfloat16 instructions half of the bits may take longer. "
    "Threads help large batches and cost small ones.",
    targets=False,
    cost=lambda drawing, part: Cost(passes=64, copies=4, batches=2),
)
