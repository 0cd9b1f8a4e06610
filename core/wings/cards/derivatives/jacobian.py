"""The Jacobian of outputs to inputs."""

from math import prod

from core.wings.cards.card import Card, CardPicture, Cost, Number
from core.wings.cards.derivatives.limits import without_jacobian
from core.wings.cards.drawing import Drawing


def _outputs(drawing: Drawing) -> int:
    """How many numbers an answer has."""
    return prod(drawing.output_shape or (1,))


CARD = Card(
    name="jacobian",
    topic="Derivatives",
    title="The Jacobian",
    why="How each output changes with each input, in one matrix: torch.func.jacrev does one "
    "backward pass per output.",
    question="How many numbers does the Jacobian of one sample's outputs with respect to its "
    "inputs have?",
    numbers=(
        Number("size", "Numbers in the Jacobian"),
        Number("largest", "Largest change of the outputs for a step of length 1"),
        Number("difference", "Error of its prediction for a small step"),
    ),
    pictures=(
        CardPicture(
            "pixels",
            "One picture per output",
            ("pictures",),
            "How strongly, and in which direction, each output changes with each input.",
        ),
    ),
    references=(
        (
            "torch.func.jacrev",
            "https://docs.pytorch.org/docs/stable/generated/torch.func.jacrev.html",
        ),
        (
            "Jacobians, Hessians and more",
            "https://docs.pytorch.org/tutorials/intermediate/jacobians_hessians.html",
        ),
    ),
    after="Outputs times inputs. Its norm shows how far the outputs can move for a small change "
    "of the input, so it measures robustness to noise.",
    find_problem=without_jacobian,
    targets=False,
    cost=lambda drawing, _part: Cost(
        passes=2 * _outputs(drawing) / 16, batches=_outputs(drawing) / 16
    ),
)
