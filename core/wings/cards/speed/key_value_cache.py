"""A cache of keys and values, for texts that are generated token by token."""

from core.wings.cards.card import Card, CardPicture, Cost, Number
from core.wings.cards.sentence import compared, faster_or_not
from core.wings.cards.speed.limits import without_causal_attention

CARD = Card(
    name="key-value-cache",
    topic="Speed on this machine",
    title="A cache of keys and values",
    why="Token by token, causal attention needs the same keys and values again and again: those of "
    "earlier tokens never change, so they can be kept.",
    question="How many times as many scores are calculated without the cache?",
    numbers=(
        Number("fewer", "Scores without the cache, divided by those with it", "times"),
        Number("gain", "Time without the cache, divided by that with it", "times", measured=True),
        Number("each", "Size of the cache for one text and one layer", "bytes"),
        Number("layers", "Layers with causal attention, each with its own cache"),
        Number("difference", "Largest difference between the outputs"),
    ),
    pictures=(
        CardPicture(
            "lines",
            "Scores for each new token",
            ("tokens", "scores", "scores_cached"),
            "Without the cache all pairs of tokens so far are compared again; with it, the new "
            "token is compared with each that is there.",
            ("without", "with the cache"),
            ("token", "scores"),
        ),
    ),
    references=(
        (
            "scaled_dot_product_attention",
            "https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.scaled_dot_product_attention.html",
        ),
        ("Grouped queries: Ainslie et al. (2023)", "https://arxiv.org/abs/2305.13245"),
    ),
    findings=(
        *compared(
            ("sharing",),
            lambda values: values["sharing"] > 1,
            "{sharing} query heads share one key and value, so the cache is {sharing} times "
            "smaller than with one for each head.",
            "Each query head has a key and a value of its own.",
        ),
        *faster_or_not(
            "gain",
            "The cache is faster here.",
            "The cache takes as long here.",
            "The cache is slower here.",
        ),
    ),
    after="Only attention is timed. A network that generates also saves the other layers for all "
    "earlier tokens; what it pays is memory, which grows with each token.",
    find_problem=without_causal_attention,
    targets=False,
    cost=lambda drawing, part: Cost(passes=40, copies=2, batches=4),
)
