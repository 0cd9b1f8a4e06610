"""An operator of one's own."""

from core.cards.card import Card, Cost, Number, Picture
from core.cards.drawing import Drawing


def _behind_one(drawing: Drawing) -> tuple[str, ...]:
    """Blocks that give one tensor, behind which something can be put."""
    return tuple(part.path for part in drawing.parts.values() if part.shape is not None)


CARD = Card(
    name="custom-operator",
    topic="Own operators and control flow",
    title="An operator of your own",
    why="torch.library.custom_op makes a function one operation of torch: with a fake kernel that "
    "only knows shapes and a gradient of yours, every tool that reads graphs takes it as it is.",
    asks="softsign(z) = z / (1 + |z|) is put behind a block. By how many operations does the "
    "exported graph grow, where softsign is an operator of its own?",
    numbers=(
        Number("added", "Operations that it adds to the graph"),
        Number("passed", "Tests of opcheck that it passes"),
        Number("difference", "Own gradient differs from autograd's by"),
    ),
    pictures=(
        Picture(
            "bars",
            "Operations that softsign adds to the graph",
            ("names", "counts"),
            "As an operator, and written with abs, plus and divided by in plain Python.",
        ),
        Picture(
            "table",
            "What opcheck tests",
            ("rows",),
            "Its schema, how its gradient is registered, its fake kernel against the real one, and"
            " all of it through the tracer that torch.compile uses.",
            ("test", "outcome"),
        ),
    ),
    reads=(
        ("torch.library", "https://docs.pytorch.org/docs/stable/library.html"),
        (
            "Custom Python operators",
            "https://docs.pytorch.org/tutorials/advanced/python_custom_ops.html",
        ),
    ),
    after="A compiler never looks into an operator: what it does may be C++ or NumPy, and nothing "
    "of it is fused with what stands beside it. An own block may be such an operator: a new custom "
    "block offers one to begin with.",
    parts=_behind_one,
    without_part="It needs a block that gives one tensor, and there is none.",
    targets=False,
    cost=lambda _drawing, _part: Cost(passes=8, copies=4, batches=2),
)
