"""Mixed precision by autocast."""

from core.cards.card import Card, CardPicture, Cost, Number

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
    after="bfloat16 has about 3 digits. A layer without matrix products keeps the type of its "
    "input, and normalisation may stay float32. On a processor without bfloat16 instructions it "
    "is slower, not faster. Training has a setting for it.",
    targets=False,
    cost=lambda _drawing, _part: Cost(passes=40, copies=2, batches=2),
)
