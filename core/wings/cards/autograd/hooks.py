"""Hooks on modules and tensors."""

from math import inf

from core.wings.cards.card import Card, CardPicture, Number
from core.wings.cards.sentence import ladder

CARD = Card(
    name="hooks",
    topic="Autograd",
    title="Hooks: watching a network run",
    why="PyTorch calls a hook when values or gradients pass a layer, so you can watch a network "
    "without changing a line of it.",
    question="How many times as long is the gradient at the first layer as at the last?",
    numbers=(Number("ratio", "Gradient at the first layer, divided by that at the last", "times"),),
    pictures=(
        CardPicture(
            "bars",
            "Length of the gradient at each layer",
            ("layers", "length"),
            "Length (norm) of the gradient at each layer's output.",
        ),
        CardPicture(
            "bars",
            "Standard deviation of each layer's output",
            ("layers", "deviation"),
            "Standard deviation of the output of each layer for this batch.",
        ),
    ),
    references=(
        (
            "Module.register_forward_hook",
            "https://docs.pytorch.org/docs/stable/generated/torch.nn.Module.html",
        ),
        (
            "Tensor.register_hook",
            "https://docs.pytorch.org/docs/stable/generated/torch.Tensor.register_hook.html",
        ),
    ),
    findings=ladder(
        "ratio",
        (1e-12, "No gradient reaches the first layer, so it does not learn from this batch."),
        (
            0.1,
            "Far below 1: the first layers learn far more slowly than the last (vanishing "
            "gradients).",
        ),
        (
            10.0,
            "Neither far below 1 (vanishing gradients) nor far above (exploding gradients): "
            "the first and the last layer learn at a like pace.",
        ),
        (inf, "Far above 1: the first layers move far more than the last (exploding gradients)."),
        undefined="No gradient reaches any layer, so the network does not learn from this batch.",
    ),  # a factor of ten is what a learning rate is usually wrong by before training fails
    after="Normalisation, residual connections and initialisation keep it near 1.",
)
