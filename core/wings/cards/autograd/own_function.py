"""A backward pass of one's own."""

from core.wings.cards.card import Card, CardPicture, Number

CARD = Card(
    name="own-function",
    topic="Autograd",
    title="A backward pass of your own",
    why="With torch.autograd.Function you write the gradient yourself; gradcheck compares it "
    "with finite differences.",
    question="swish(z) = z * sigmoid(z). What is its second derivative at 0?",
    numbers=(
        Number("second", "Second derivative at 0"),
        Number("difference", "Difference between its slope and nn.SiLU's"),
    ),
    pictures=(
        CardPicture(
            "lines",
            "Swish and its derivatives",
            ("xs", "value", "slopes", "bends"),
            "The function, its slope from your backward pass, and its second derivative from a "
            "backward pass through that one.",
            ("swish", "slope", "bend"),
            ("z", ""),
        ),
    ),
    references=(
        ("Extending torch.autograd", "https://docs.pytorch.org/docs/stable/notes/extending.html"),
        (
            "torch.autograd.gradcheck",
            "https://docs.pytorch.org/docs/stable/generated/torch.autograd.gradcheck.gradcheck.html",
        ),
        ("Ramachandran et al. (2017)", "https://arxiv.org/abs/1710.05941"),
    ),
    after="The backward pass is made of operations that torch can differentiate, so it can be "
    "differentiated again. A custom block can use such a function; torch.compile and vmap need "
    "setup_context for it.",
    drawn=False,
    targets=False,
)
