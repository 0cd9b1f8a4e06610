"""Three ways to calculate attention."""

from core.cards.card import Card, Cost, Number, Picture
from core.cards.speed.limits import without_attention

CARD = Card(
    name="sdpa-backends",
    topic="Speed on this machine",
    title="Three ways to calculate attention",
    why="scaled_dot_product_attention picks a way by itself: by the formula, in blocks that "
    "never write the scores down (flash), or sparing with memory (efficient).",
    asks="How many times as fast is the fastest way as the formula?",
    numbers=(
        Number("gain", "Formula, by the fastest", "times", measured=True),
        Number("there", "Ways that run on this machine"),
        Number("score_bytes", "Scores that the formula writes down", "bytes"),
        Number("difference", "Largest difference between the ways"),
    ),
    pictures=(
        Picture(
            "bars",
            "Time of one attention",
            ("names", "times"),
            "Milliseconds, the fastest of nine calls.",
        ),
        Picture(
            "table",
            "Each way",
            ("rows",),
            "Time, and how far its answer lies from the formula; or why it does not run.",
            ("way", "time", "difference"),
        ),
    ),
    reads=(
        (
            "scaled_dot_product_attention",
            "https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.scaled_dot_product_attention.html",
        ),
        (
            "SDPA tutorial",
            "https://docs.pytorch.org/tutorials/intermediate/scaled_dot_product_attention_tutorial.html",
        ),
    ),
    after="Flash pays where texts are long: scores grow with the square of the length, and it "
    "never holds them all.",
    unfit=without_attention,
    targets=False,
    cost=lambda drawing, part: Cost(passes=24, copies=2, batches=2),
)
