"""Hooks that change a gradient."""

from core.wings.cards.autograd.limits import inner
from core.wings.cards.card import Card, CardPicture, Cost, Number
from core.wings.cards.sentence import Sentence

READ = ("changed", "inside", "total")

CARD = Card(
    name="gradient-hooks",
    topic="Autograd",
    title="Hooks that change a gradient",
    why="A hook that returns a value replaces the gradient that passes it: all that follows in the "
    "backward pass is calculated from that value.",
    question="A hook on the output of the block doubles the gradient. How many weight tensors of "
    "the network get another gradient than before?",
    numbers=(
        Number("changed", "Weight tensors with another gradient"),
        Number("total", "Weight tensors with a gradient"),
    ),
    pictures=(
        CardPicture(
            "table",
            "Four hooks that double a gradient",
            ("ways",),
            "How many times as long the gradient of the block's first weight becomes, and how "
            "many weight tensors of the network change.",
            ("hook that returns twice the gradient", "this weight", "tensors that change"),
        ),
        CardPicture(
            "bars",
            "A hook on the output, weight by weight",
            ("names", "factors"),
            "How many times as long the gradient of each weight becomes; 0 where there is none.",
        ),
    ),
    references=(
        (
            "Tensor.register_hook",
            "https://docs.pytorch.org/docs/stable/generated/torch.Tensor.register_hook.html",
        ),
        (
            "Module.register_full_backward_hook",
            "https://docs.pytorch.org/docs/stable/generated/torch.nn.Module.html",
        ),
    ),
    findings=(
        Sentence(
            "No gradient other than 0 reaches the block, and twice 0 is 0.",
            READ,
            lambda values: values["changed"] == 0,
        ),
        Sentence(
            "{changed} of {total} weight tensors change: the block's own, and those that the "
            "gradient reaches through it.",
            READ,
            lambda values: values["changed"] > 0,
        ),
        Sentence(
            "The full backward hook of the module replaces the gradient of its input only: "
            "{inside} of {total} change by it.",
            READ,
            lambda values: values["changed"] > 0,
        ),
    ),
    after="Clipping, noise for privacy and reversed gradients for domain adaptation are hooks of "
    "this kind.",
    parts=inner,
    without_part="It needs two blocks with weights, one behind the other, and this drawing has "
    "fewer.",
    cost=lambda _drawing, _part: Cost(passes=18, copies=6, batches=1),
)
