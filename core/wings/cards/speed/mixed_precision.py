"""Mixed precision by autocast."""

from core.wings.cards.card import Card, CardPicture, Cost, Number
from core.wings.cards.sentence import faster_or_not

CARD = Card(
    name="mixed-precision",
    topic="Speed on this machine",
    title="Mixed precision with autocast",
    why="Under autocast each operation chooses its precision: matrix products use bfloat16, with "
    "half the bits; sensitive operations use float32; the weights stay float32.",
    question="How many layers of this network have bfloat16 outputs under autocast?",
    numbers=(
        Number("halved", "Layers with bfloat16 outputs"),
        Number("difference", "Largest difference between the outputs"),
        Number("gain", "float32 time, divided by autocast time", "times", measured=True),
    ),
    pictures=(
        CardPicture(
            "table",
            "Output of each layer under autocast",
            ("rows",),
            "Its dtype, and its largest difference from float32.",
            ("layer", "type", "difference"),
        ),
        CardPicture(
            "bars",
            "Time of a forward pass",
            ("names", "times"),
            "Milliseconds for this batch, the fastest of nine passes.",
        ),
    ),
    references=(
        ("torch.amp", "https://docs.pytorch.org/docs/stable/amp.html"),
        (
            "Automatic mixed precision",
            "https://docs.pytorch.org/tutorials/recipes/recipes/amp_recipe.html",
        ),
        ("Micikevicius et al. (2018)", "https://arxiv.org/abs/1710.03740"),
    ),
    findings=faster_or_not(
        "gain",
        "On this processor autocast makes the network faster.",
        "On this processor autocast gains nothing for this network.",
        "On this processor autocast makes the network slower.",
    ),
    after="Changing the types takes time, which a processor without bfloat16 instructions or a "
    "small network does not win back. bfloat16 has about 3 digits. A layer without matrix "
    "products keeps the type of its input, and normalisation may stay float32. Training has a "
    "setting for it: precision.",
    targets=False,
    cost=lambda _drawing, _part: Cost(passes=40, copies=2, batches=2),
)
