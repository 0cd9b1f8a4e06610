"""The Jacobian of outputs to inputs."""

from math import prod

from core.cards.card import Card, Cost, Number, Picture
from core.cards.derivatives.limits import without_jacobian
from core.cards.drawing import Drawing


def _outputs(drawing: Drawing) -> int:
    """How many numbers an answer has."""
    return prod(drawing.output_shape or (1,))


CARD = Card(
    name="jacobian",
    topic="Derivatives",
    title="The Jacobian",
    why="How each output moves with each input, all of it at once: torch.func.jacrev goes backward "
    "once for each output.",
    asks="How many numbers does the Jacobian of one sample's outputs to its inputs have?",
    numbers=(
        Number("size", "Numbers in the Jacobian"),
        Number("largest", "Largest move of the outputs for a step of 1"),
        Number("difference", "A small step differs from what it tells by"),
    ),
    pictures=(
        Picture(
            "pixels",
            "One picture for each output",
            ("pictures",),
            "How strongly, and which way, each output moves with each input.",
        ),
    ),
    reads=(
        (
            "torch.func.jacrev",
            "https://docs.pytorch.org/docs/stable/generated/torch.func.jacrev.html",
        ),
        (
            "Jacobians, Hessians and more",
            "https://docs.pytorch.org/tutorials/intermediate/jacobians_hessians.html",
        ),
    ),
    after="Outputs times inputs. Its norm says how much the answer can move for a small change: "
    "robustness to noise is made of it.",
    unfit=without_jacobian,
    targets=False,
    cost=lambda drawing, _part: Cost(
        passes=2 * _outputs(drawing) / 16, batches=_outputs(drawing) / 16
    ),
)
