"""BatchNorm folded into convolutions."""

from core.wings.cards.card import Card, CardPicture, Cost, Number
from core.wings.cards.drawing import Drawing
from core.wings.cards.graphs.limits import on_images
from core.wings.cards.sentence import compared, faster_or_not


def _without_pair(drawing: Drawing) -> str:
    """Why no BatchNorm can be folded, "" where one may follow a convolution."""
    blocks = {part.block for part in drawing.parts.values()}
    traits = ("convolves", "batch_statistics")
    if all(any(on_images(block, trait) for block in blocks) for trait in traits):
        return ""
    return "It needs a BatchNorm2d after a Conv2d, and this drawing has none."


CARD = Card(
    name="conv-bn-fusion",
    topic="Graphs and compilers",
    title="BatchNorm folded into convolutions",
    why="In evaluation mode BatchNorm only scales and shifts, and the convolution before it can "
    "do that itself: the same outputs with fewer operations.",
    question="How many times as fast is the network with its BatchNorms folded away?",
    numbers=(
        Number("faster", "Time as drawn, divided by time fused", "times", measured=True),
        Number("folded", "BatchNorms folded"),
        Number("difference", "Largest difference between the outputs"),
    ),
    pictures=(
        CardPicture(
            "bars",
            "Time of a forward pass",
            ("names", "times"),
            "Milliseconds for this batch, the fastest of several passes.",
        ),
        CardPicture(
            "table",
            "Fused pairs",
            ("pairs",),
            "Each convolution, with the BatchNorm folded into it.",
            ("convolution", "BatchNorm"),
        ),
    ),
    references=(
        (
            "Building a convolution and BatchNorm fuser",
            "https://docs.pytorch.org/tutorials/intermediate/fx_conv_bn_fuser.html",
        ),
        (
            "torch.nn.utils.fuse_conv_bn_eval",
            "https://docs.pytorch.org/docs/stable/generated/torch.nn.utils.fuse_conv_bn_eval.html",
        ),
    ),
    findings=(
        *faster_or_not(
            "faster",
            "The fused network is faster here.",
            "Fusing gains nothing here.",
            "The fused network is slower here; such short times vary.",
        ),
        *compared(
            ("difference", "scale"),
            lambda values: values["difference"] <= 1e-3 * values["scale"] + 1e-6,
            "The difference is rounding: the same sums in another order.",
            "The difference is more than rounding.",
        ),
    ),
    after="Fusing saves memory traffic, of which small images have little.",
    find_problem=_without_pair,
    targets=False,
    cost=lambda drawing, part: Cost(passes=24, copies=4, batches=1),
)
