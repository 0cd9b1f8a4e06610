"""A parametrization measured: what spectral norm learns, and what the weight is then."""

from blocks import CATALOGUE
from core.cards.card import Card, Cost, Number, Picture
from core.cards.drawing import Drawing


def plain_weights(drawing: Drawing) -> tuple[str, ...]:
    """Blocks that could compute their weight, and do not."""
    return tuple(
        part.path
        for part in drawing.parts.values()
        if part.block in CATALOGUE
        and CATALOGUE[part.block].setting("parametrize")
        and not part.settings.get("parametrize")
    )


CARD = Card(
    name="spectral-norm",
    topic="Weights",
    title="Parametrizations: spectral norm",
    why="A parametrization learns something else than the weight and computes the weight from it "
    "before each call; spectral norm divides it by its largest singular value.",
    asks="By how much does the weight of this block stretch an input at most?",
    numbers=(
        Number("before", "Largest singular value of the weight", "times"),
        Number("after", "The same with spectral norm, after ten steps", "times"),
    ),
    pictures=(
        Picture(
            "lines",
            "Largest singular value of the computed weight",
            ("steps", "values"),
            "One step of the power iteration in each call in training brings it towards 1.",
            axes=("Calls in training", "Largest singular value"),
        ),
        Picture(
            "table",
            "What the layer keeps",
            ("rows",),
            "original is what is learned; _u and _v are vectors that measure the largest singular "
            "value; the weight itself is kept nowhere.",
            parts=("key of state_dict", "size"),
        ),
    ),
    reads=(
        (
            "Parametrizations tutorial",
            "https://docs.pytorch.org/tutorials/intermediate/parametrizations.html",
        ),
        (
            "torch.nn.utils.parametrizations.spectral_norm",
            "https://docs.pytorch.org/docs/stable/generated/"
            "torch.nn.utils.parametrizations.spectral_norm.html",
        ),
    ),
    after="Set parametrize of the block to spectral_norm to train with it: what bounds how much a "
    "discriminator stretches keeps a GAN's training steady (Miyato et al., 2018).",
    parts=plain_weights,
    without_part="No block of this drawing has a weight of two dimensions or more that is learned "
    "as it is: add a Linear or a convolution.",
    targets=False,
    cost=lambda drawing, part: Cost(passes=1, copies=4, batches=0),
)
