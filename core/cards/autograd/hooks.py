"""Hooks on modules and tensors."""

from core.cards.card import Card, CardPicture, Number

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
    after="Far below 1, the first layers hardly learn (vanishing gradients); far above 1, their "
    "steps are too large (exploding gradients). Normalisation, residual connections and "
    "initialisation keep it near 1.",
)
