"""A backward pass of one's own."""

from core.cards.card import Card, Number, Picture

CARD = Card(
    name="own-function",
    topic="Autograd",
    title="A backward pass of your own",
    why="torch.autograd.Function takes a formula for the gradient from you, and gradcheck holds it "
    "against differences.",
    asks="swish(z) = z * sigmoid(z). What is its second derivative at 0?",
    numbers=(
        Number("second", "Second derivative at 0"),
        Number("difference", "Slope differs from nn.SiLU's by"),
    ),
    pictures=(
        Picture(
            "lines",
            "Swish and its derivatives",
            ("xs", "value", "slopes", "bends"),
            "The function, its slope by the own backward pass, and its bend by a backward pass "
            "through that one.",
            ("swish", "slope", "bend"),
            ("z", ""),
        ),
    ),
    reads=(
        ("Extending torch.autograd", "https://docs.pytorch.org/docs/stable/notes/extending.html"),
        (
            "torch.autograd.gradcheck",
            "https://docs.pytorch.org/docs/stable/generated/torch.autograd.gradcheck.gradcheck.html",
        ),
        ("Ramachandran et al. (2017)", "https://arxiv.org/abs/1710.05941"),
    ),
    after="The backward pass is made of operations that torch can differentiate, so it can be gone "
    "through a second time. An own block can use such a function; torch.compile and vmap need "
    "setup_context for it.",
    targets=False,
)
