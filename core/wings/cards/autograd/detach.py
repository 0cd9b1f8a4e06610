"""detach() and no_grad()."""

from core.wings.cards.autograd.limits import one_tensor
from core.wings.cards.card import Card, CardPicture, Cost, Number
from core.wings.cards.drawing import Drawing
from core.wings.cards.sentence import compared


def _cut(drawing: Drawing) -> tuple[str, ...]:
    """Blocks with one tensor as a result, those in the middle of the drawing first."""
    found = [path for path in drawing.parts if one_tensor(drawing, path) and "." not in path]
    middle = len(found) // 2
    return tuple(found[middle:] + found[:middle])


CARD = Card(
    name="detach",
    topic="Autograd",
    title="Cutting the graph: detach, no_grad",
    why="detach() keeps a value and cuts off its history; no_grad() records no history at all.",
    question="How many weight tensors still get a gradient, once the output of the block is "
    "detached?",
    numbers=(
        Number("still", "Weight tensors with a gradient"),
        Number("with_grad", "Kept for the backward pass", "bytes"),
        Number("without", "Kept under no_grad()", "bytes"),
    ),
    pictures=(
        CardPicture(
            "table",
            "Weights that still learn",
            ("rows",),
            "Each weight tensor, and whether a gradient still reaches it.",
            ("weight", "reached"),
        ),
    ),
    references=(
        ("Locally disabling gradients", "https://docs.pytorch.org/docs/stable/notes/autograd.html"),
        (
            "Tensor.detach",
            "https://docs.pytorch.org/docs/stable/generated/torch.Tensor.detach.html",
        ),
    ),
    findings=(
        *compared(
            ("still",),
            lambda values: values["still"] > 0,
            "",
            "Every way from a weight to the loss leads through this block, and none of its own "
            "comes after the cut: nothing learns any more.",
        ),
        *compared(
            ("without", "with_grad"),
            lambda values: values["without"] == 0 < values["with_grad"],
            "Under no_grad() nothing is kept for the backward pass, so validation needs less "
            "memory than training, here by {with_grad} bytes.",
        ),
    ),
    after="What reaches the loss only through the cut stops learning, as when you freeze a trained "
    "part; a way around the block, as a residual connection, keeps learning.",
    parts=_cut,
    without_part="It needs a block with weights or an activation in the middle, and there is none.",
    cost=lambda _drawing, _part: Cost(passes=8, copies=2),
)
