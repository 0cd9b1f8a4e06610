"""Requirements of the cards on weights, as sentences about a drawing."""

from core.wings.cards.drawing import Drawing


def without_weights(drawing: Drawing) -> str:
    """Why there are no weights to change, "" where there are."""
    if drawing.params:
        return ""
    return "It needs a block with weights, and this drawing has none: add a Linear."
