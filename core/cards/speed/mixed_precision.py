"""Mixed precision by autocast."""

from core.cards.card import Card, Cost, Number, Picture

CARD = Card(
    name="mixed-precision",
    topic="Speed on this machine",
    title="Mixed precision by autocast",
    why="Under autocast each operation chooses: products of matrices in bfloat16, with half of"
    " the bits, and what would lose too much in float32; the weights stay float32.",
    asks="How many layers of this network put out bfloat16 under autocast?",
    numbers=(
        Number("halved", "Layers that put out bfloat16"),
        Number("difference", "Largest difference of the answers"),
        Number("gain", "float32, by autocast", "times", measured=True),
    ),
    pictures=(
        Picture(
            "table",
            "What each layer puts out under autocast",
            ("rows",),
            "Its number type, and how far its result lies from that in float32.",
            ("layer", "type", "difference"),
        ),
        Picture(
            "bars",
            "Time of a forward pass",
            ("names", "times"),
            "Milliseconds for this batch, the fastest of nine passes.",
        ),
    ),
    reads=(
        ("torch.amp", "https://docs.pytorch.org/docs/stable/amp.html"),
        (
            "Automatic mixed precision",
            "https://docs.pytorch.org/tutorials/recipes/recipes/amp_recipe.html",
        ),
        ("Micikevicius et al. (2018)", "https://arxiv.org/abs/1710.03740"),
    ),
    after="bfloat16 has about 3 digits. A layer with no products passes on the type that it gets,"
    " and normalisations may stay float32. Without bfloat16 instructions in the processor it is"
    " slower, not faster; training has it as a setting.",
    targets=False,
    cost=lambda _drawing, _part: Cost(passes=40, copies=2, batches=2),
)
