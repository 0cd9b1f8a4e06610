"""Three ways to calculate attention."""

from core.wings.cards.card import Card, CardPicture, Cost, Number
from core.wings.cards.sentence import compared, faster_or_not
from core.wings.cards.speed.limits import without_attention

CARD = Card(
    name="sdpa-backends",
    topic="Speed on this machine",
    title="Three ways to calculate attention",
    why="scaled_dot_product_attention picks one automatically: the formula (math), blocks "
    "without stored scores (flash), or a version that saves memory (efficient).",
    question="How many times as fast is the fastest one as the formula?",
    numbers=(
        Number("gain", "Time of the formula, divided by the fastest", "times", measured=True),
        Number("there", "Implementations that run on this machine"),
        Number("score_bytes", "Size of the scores that the formula stores", "bytes"),
        Number("difference", "Largest difference between the implementations"),
    ),
    pictures=(
        CardPicture(
            "bars",
            "Time of one attention",
            ("names", "times"),
            "Milliseconds, the fastest of nine calls.",
        ),
        CardPicture(
            "table",
            "Each implementation",
            ("rows",),
            "Time, and largest difference from the formula; or why it does not run.",
            ("way", "time", "difference"),
        ),
    ),
    references=(
        (
            "scaled_dot_product_attention",
            "https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.scaled_dot_product_attention.html",
        ),
        (
            "SDPA tutorial",
            "https://docs.pytorch.org/tutorials/intermediate/scaled_dot_product_attention_tutorial.html",
        ),
    ),
    findings=(
        *compared(
            ("there",),
            lambda values: values["there"] > 1,
            "",
            "Only the formula runs on this machine for this attention.",
        ),
        *faster_or_not(
            "gain",
            "The fastest beats the formula here.",
            "None is faster than the formula here.",
            "",
        ),
    ),
    after="Scores grow with the square of the length, and flash never stores them all, so it pays "
    "off for long texts.",
    find_problem=without_attention,
    targets=False,
    cost=lambda drawing, part: Cost(passes=24, copies=2, batches=2),
)
