"""A custom operator."""

from core.wings.cards.card import Card, CardPicture, Cost, Number
from core.wings.cards.operators.limits import behind_one

CARD = Card(
    name="custom-operator",
    topic="Custom operators and control flow",
    title="An operator of your own",
    why="torch.library.custom_op turns a function into one operation of torch. With a fake "
    "kernel, which only knows shapes, and your gradient, it works with every tool that reads "
    "graphs.",
    question="softsign(z) = z / (1 + |z|) is added after a block, as a custom operator. By "
    "how many operations does the exported graph grow?",
    numbers=(
        Number("added", "Operations added to the graph"),
        Number("passed", "Tests of opcheck passed"),
        Number("difference", "Difference between your gradient and autograd's"),
    ),
    pictures=(
        CardPicture(
            "bars",
            "Operations that softsign adds to the graph",
            ("names", "counts"),
            "As a custom operator, and as plain Python with abs, + and /.",
        ),
        CardPicture(
            "table",
            "What opcheck tests",
            ("rows",),
            "Its schema, the registration of its gradient, its fake kernel compared with the "
            "real one, and all of it with the tracer of torch.compile.",
            ("test", "outcome"),
        ),
    ),
    references=(
        ("torch.library", "https://docs.pytorch.org/docs/stable/library.html"),
        (
            "Custom Python operators",
            "https://docs.pytorch.org/tutorials/advanced/python_custom_ops.html",
        ),
    ),
    after="A compiler never looks inside an operator: it may call C++ or NumPy, and it is not "
    "fused with its neighbours. A custom block can be such an operator: a new custom block "
    "offers a template for one.",
    parts=behind_one,
    without_part="It needs a block that gives one tensor, and there is none.",
    targets=False,
    cost=lambda _drawing, _part: Cost(passes=8, copies=4, batches=2),
)
