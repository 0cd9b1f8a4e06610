"""A convolution and BatchNorm as one Function of the drawing's own pair."""

from collections.abc import Mapping
from typing import Any

from core.wings.cards.card import Card, CardPicture, Cost, Number
from core.wings.cards.drawing import BlockInfo, Drawing
from core.wings.cards.graphs.limits import norm_behind
from core.wings.cards.sentence import Sentence, compared


def _pairs(drawing: Drawing) -> tuple[str, ...]:
    """Convolutions with a BatchNorm behind them that has weights of its own."""
    found = {path: norm_behind(drawing, path) for path in drawing.parts}
    return tuple(
        path
        for path, norm in found.items()
        if norm and drawing.parts[norm].settings.get("affine", True)
    )


def _norm(drawing: Drawing, part: BlockInfo | None) -> Mapping[str, Any]:
    return {"NORM": norm_behind(drawing, part.path) if part else ""}


CARD = Card(
    name="conv-bn-function",
    topic="Autograd",
    title="Convolution and BatchNorm as one Function",
    why="Two modules keep two pictures for the backward pass: what goes into the convolution and "
    "what goes into BatchNorm. One Function keeps the first and calculates the second again.",
    question="How many percent of the bytes does the Function still keep?",
    numbers=(
        Number("share", "Bytes still kept", "%"),
        Number("plain_bytes", "Kept by the two modules", "bytes"),
        Number("kept", "Kept by the Function", "bytes"),
        Number("difference", "Largest difference of results and gradients"),
    ),
    pictures=(
        CardPicture(
            "bars",
            "Kept for the backward pass",
            ("names", "sizes"),
            "Bytes kept by the forward pass of this pair in training, without the weights.",
        ),
    ),
    references=(
        (
            "Fusing convolution and batch norm using custom function",
            "https://docs.pytorch.org/tutorials/intermediate/custom_function_conv_bn_tutorial.html",
        ),
        ("Extending torch.autograd", "https://docs.pytorch.org/docs/stable/notes/extending.html"),
    ),
    findings=(
        *compared(
            ("kept", "plain_bytes"),
            lambda values: values["kept"] < values["plain_bytes"],
            "The Function keeps {kept} of {plain_bytes} bytes.",
            "The Function keeps {kept} bytes, the modules {plain_bytes}: nothing is saved here.",
        ),
        Sentence(
            "once_differentiable refuses a gradient of the gradient: {refused}.",
            ("refused",),
            lambda values: bool(values["refused"]),
        ),
    ),
    after="The price is the convolution, which runs twice. Its bias needs no gradient: BatchNorm "
    "takes off the mean, and a bias with it.",
    parts=_pairs,
    without_part="It needs a BatchNorm2d with weights right after a Conv2d, and this drawing has "
    "none.",
    targets=False,
    constants=_norm,
    cost=lambda _drawing, _part: Cost(passes=8, copies=3, batches=3),
)
