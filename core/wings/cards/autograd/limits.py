"""Requirements of the cards on gradients, as blocks of a drawing."""

from core.wings.cards.drawing import Drawing


def inner(drawing: Drawing) -> tuple[str, ...]:
    """Blocks with weights, without the first: a gradient passes through their input, too."""
    found = [path for path, part in drawing.parts.items() if part.params and part.shape]
    return tuple(found[1:])
