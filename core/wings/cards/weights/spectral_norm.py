"""Spectral norm as a parametrization, measured."""

from math import inf

from core.wings.cards.card import Card, CardPicture, Cost, Number
from core.wings.cards.sentence import compared, ladder
from core.wings.cards.weights.limits import plain_weights

CARD = Card(
    name="spectral-norm",
    topic="Weights",
    title="Parametrizations: spectral norm",
    why="A parametrization computes the weight from the trained tensors before each call; "
    "spectral norm divides it by its largest singular value.",
    question="By what factor can the weight of this block stretch an input at most?",
    numbers=(
        Number("before", "Largest singular value of the weight", "times"),
        Number("after", "The same with spectral norm, after ten calls", "times"),
    ),
    pictures=(
        CardPicture(
            "lines",
            "Largest singular value of the computed weight",
            ("steps", "values"),
            "Each call in training makes one step of the power iteration, which brings it "
            "towards 1.",
            axes=("Calls in training", "Largest singular value"),
        ),
        CardPicture(
            "table",
            "State of the layer",
            ("rows",),
            "original is trained; _u and _v are vectors that estimate the largest singular "
            "value; the weight itself is not stored.",
            parts=("key of state_dict", "size"),
        ),
    ),
    references=(
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
    findings=(
        *ladder(
            "before",
            (0.95, "This block shrinks every input; spectral norm makes its weight larger."),
            (1.05, "This weight stretches by 1 at most already, so spectral norm changes little."),
            (inf, "This block can stretch an input, and spectral norm makes its weight smaller."),
        ),
        *compared(
            ("after",),
            lambda values: abs(values["after"] - 1) <= 0.05,
            "After ten calls its largest singular value is 1, within 5 %.",
            "After ten calls its largest singular value is {after}, not yet near 1: the power "
            "iteration is slow where several singular values are alike.",
        ),
    ),
    after="Set parametrize of the block to spectral_norm to train with it: limiting how much a "
    "discriminator stretches keeps a GAN's training stable (Miyato et al., 2018).",
    parts=plain_weights,
    without_part="It needs a block with a weight of two or more dimensions and no "
    "parametrization, and this drawing has none: add a Linear or a convolution.",
    targets=False,
    cost=lambda drawing, part: Cost(passes=1, copies=4, batches=0),
)
