"""Hooks on modules and tensors."""

from core.cards.card import Card, Number, Picture

CARD = Card(
    name="hooks",
    topic="Autograd",
    title="Hooks: looking in while it runs",
    why="A hook is called as values or gradients pass by, so a network can be watched without a "
    "line of it being changed.",
    asks="How many times as long as at the last layer is the gradient at the first one?",
    numbers=(Number("ratio", "Gradient at the first layer by that at the last", "times"),),
    pictures=(
        Picture(
            "bars",
            "Length of the gradient at each layer",
            ("layers", "length"),
            "Length of the gradient that comes back to each layer's output.",
        ),
        Picture(
            "bars",
            "Spread of each layer's output",
            ("layers", "spread"),
            "Standard deviation of what each layer puts out.",
        ),
    ),
    reads=(
        (
            "Module.register_forward_hook",
            "https://docs.pytorch.org/docs/stable/generated/torch.nn.Module.html",
        ),
        (
            "Tensor.register_hook",
            "https://docs.pytorch.org/docs/stable/generated/torch.Tensor.register_hook.html",
        ),
    ),
    after="Far below 1 the first layers hardly learn (vanishing gradients); far above 1 they jump. "
    "Normalisation, residuals and initialisation are there to keep it near 1.",
)
